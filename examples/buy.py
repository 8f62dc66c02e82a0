import stowage
for node in stowage.load("examples/shop").scale(budget="12.50").nodes:
    print(f"buy {node.group} for {node.price:.4f} per hour")

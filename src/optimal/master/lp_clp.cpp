/* lp_clp.cpp - lp.h on CLP.
 *
 * CLP is C++ and reports a lack of memory by an exception, which must not travel through C: hence
 * a file of C++, and every call behind guarded().  Its C interface would do the same work but lets
 * exceptions pass.
 *
 * Primal simplex from the basis of the round before: new columns leave it feasible.  Where bounds
 * have changed it is the dual simplex that goes on: prices stay as good as they were. */
#include "optimal/master/lp.h"

#include <coin/ClpSimplex.hpp>

#include <memory>
#include <new>

#include <stowage/error.h>

struct stow_lp {
    ClpSimplex model;
    bool moved = false; /* bounds have changed since the last solve */
};

/* CLP gives up rather than cycle; a limit so that no round can take for ever. */
static const int iterations_max = 200000;

template <typename F> static int guarded(F &&work) noexcept
{
    try {
        return work();
    } catch (...) {
        return STOW_ENOMEM; /* CoinError is thrown for misuse only */
    }
}

static void add_rows(ClpSimplex &model, uint32_t rows, const double *lower, const double *upper)
{
    model.setLogLevel(0);
    model.messageHandler()->setLogLevel(0);
    model.resize(static_cast<int>(rows), 0);
    for (uint32_t i = 0; i < rows; i++) {
        model.rowLower()[i] = lower[i] <= -STOW_LP_INFINITY ? -COIN_DBL_MAX : lower[i];
        model.rowUpper()[i] = upper[i] >= STOW_LP_INFINITY ? COIN_DBL_MAX : upper[i];
    }
    model.setOptimizationDirection(1);
    model.setMaximumIterations(iterations_max);
    model.setPerturbation(100); /* only when it is seen to stall */
}

struct stow_lp *stow_lp_new(uint32_t rows, const double *lower, const double *upper)
{
    std::unique_ptr<stow_lp> lp;

    if (guarded([&] {
            lp = std::make_unique<stow_lp>();
            add_rows(lp->model, rows, lower, upper);
            return 0;
        }) < 0)
        return nullptr;
    return lp.release();
}

void stow_lp_free(struct stow_lp *lp)
{
    delete lp;
}

int stow_lp_add(struct stow_lp *lp, const struct stow_lp_columns *columns)
{
    return guarded([&] {
        lp->model.addColumns(static_cast<int>(columns->count), nullptr, columns->upper,
                             columns->cost, columns->start, columns->row, columns->value);
        return 0;
    });
}

int stow_lp_remove(struct stow_lp *lp, const int *column, uint32_t count)
{
    return guarded([&] {
        lp->model.deleteColumns(static_cast<int>(count), column);
        return 0;
    });
}

int stow_lp_set_upper(struct stow_lp *lp, uint32_t column, double upper)
{
    return guarded([&] {
        lp->model.setColumnBounds(static_cast<int>(column), 0, upper);
        lp->moved = true;
        return 0;
    });
}

int stow_lp_set_cost(struct stow_lp *lp, uint32_t column, double cost)
{
    return guarded([&] {
        lp->model.setObjectiveCoefficient(static_cast<int>(column), cost);
        return 0;
    });
}

int stow_lp_set_row(struct stow_lp *lp, uint32_t row, double lower, double upper)
{
    return guarded([&] {
        lp->model.setRowBounds(static_cast<int>(row),
                               lower <= -STOW_LP_INFINITY ? -COIN_DBL_MAX : lower,
                               upper >= STOW_LP_INFINITY ? COIN_DBL_MAX : upper);
        lp->moved = true;
        return 0;
    });
}

static bool is_optimal(const ClpSimplex &model)
{
    return model.status() == 0;
}

int stow_lp_solve(struct stow_lp *lp, double seconds)
{
    if (lp->model.numberColumns() == 0 || lp->model.numberRows() == 0)
        return 0; /* CLP would read what is not there */
    return guarded([&] {
        lp->model.setMaximumSeconds(seconds > 0 ? seconds : -1);
        if (lp->moved)
            lp->model.dual(0);
        lp->moved = false;
        lp->model.primal(0);
        if (!is_optimal(lp->model) && !lp->model.hitMaximumIterations()) {
            lp->model.allSlackBasis(true);
            lp->model.primal(0);
        }
        return is_optimal(lp->model) ? 1 : 0;
    });
}

double stow_lp_objective(const struct stow_lp *lp)
{
    return lp->model.objectiveValue();
}

const double *stow_lp_primal(const struct stow_lp *lp)
{
    return lp->model.primalColumnSolution();
}

const double *stow_lp_dual(const struct stow_lp *lp)
{
    return lp->model.dualRowSolution();
}

const double *stow_lp_reduced(const struct stow_lp *lp)
{
    return lp->model.dualColumnSolution();
}

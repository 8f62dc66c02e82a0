{{- define "x" }}{{ end }}

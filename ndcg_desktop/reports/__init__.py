"""An evaluation written down: CSV, XLSX and PDF. No widgets."""

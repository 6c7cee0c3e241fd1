"""Live analysis: many positions searched side by side, asked and answered in JSON lines."""

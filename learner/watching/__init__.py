"""The numbers of a run: collected from reports, completed, shown and written."""

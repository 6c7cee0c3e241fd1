"""The page: play, analyse, replay and watch a run in a browser; `server` answers it, `thinking` searches for it."""

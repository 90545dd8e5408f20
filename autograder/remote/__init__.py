"""An object here that answers there: values, requests, what crosses the wall, calling."""

"""The built web app: `app` for the server, `still` for exported runs. Its sources are in `frontend/`."""

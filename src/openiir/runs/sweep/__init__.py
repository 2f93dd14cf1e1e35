"""Many runs of one study: settings varied by a design, times master seeds that every arm shares."""

"""Access to models: one provider protocol, the OpenAI-compatible wire, and wrappers around it."""

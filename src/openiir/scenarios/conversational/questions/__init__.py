"""Questions that simulated users, systems and judges answer in a conversational study."""

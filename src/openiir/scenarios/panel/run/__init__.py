"""What happens in a panel: seating the cast, the forms of round, and what they log."""

"""Recognition of a catalogue's titles and attribute values in free text."""

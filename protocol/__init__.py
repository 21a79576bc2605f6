"""What crosses the pipe between the referee and a bot: messages, lines, schema, errors."""

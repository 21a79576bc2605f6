"""What the games of the War family share: cards, battles, packs and texts."""

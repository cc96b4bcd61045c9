"""What people look at: tables on a terminal."""

"""What an administrator does with a whole space: erase a person, write it to a file, read it from one."""

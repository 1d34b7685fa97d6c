"""What a state looks like: pictures, features of objects, animations."""

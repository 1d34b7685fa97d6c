"""What is seen of a scene: pictures, features of objects, animations."""

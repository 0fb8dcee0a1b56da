"""The pages a person sees."""

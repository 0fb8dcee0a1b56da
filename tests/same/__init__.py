"""The numbers of many commands, frozen: whoever changes the code without meaning to change a number sees that none did."""

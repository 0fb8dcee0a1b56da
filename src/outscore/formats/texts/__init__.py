"""Texts of translation and generation: plain lines, WMT's SGML and XML, and tables of texts."""

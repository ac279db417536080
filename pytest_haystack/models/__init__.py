"""Who answers: a prompt goes in, a completion comes out."""

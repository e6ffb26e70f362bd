"""The course as static pages: ``course html``. Python makes them whole; a browser needs nothing else."""

// Loaded before the page is drawn, so that a chosen theme never flashes. Without a choice the system decides.
try {
  const theme = localStorage.getItem("theme");
  if (theme === "light" || theme === "dark") document.documentElement.classList.add(`theme-${theme}`);
} catch { /* storage is refused: the system decides */ }

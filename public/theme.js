// Runs before the first paint, so that nobody sees the other theme flash by. Keep it tiny: it blocks.
(function () {
  try {
    var root = document.documentElement;
    var theme = localStorage.getItem('theme');
    if (theme === 'light' || theme === 'dark') root.dataset.theme = theme;
    var language = localStorage.getItem('language') || navigator.language;
    root.lang = /^de\b/i.test(language) ? 'de' : 'en';
  } catch {
    // Storage is blocked: the device decides.
  }
})();

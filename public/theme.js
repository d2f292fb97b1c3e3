// Sets theme and language before the first paint. Keep it tiny: it blocks rendering.
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

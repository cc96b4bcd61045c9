// Parts of a page that scroll sideways can be reached by keys, and the buttons of each code block have a name.
document$.subscribe(() => {
  const fit = () => {
    for (const code of document.querySelectorAll("pre > code, .md-typeset__scrollwrap, .output, .equation"))
      if (code.scrollWidth > code.clientWidth) code.tabIndex = 0;
    document.querySelectorAll(".md-code__nav").forEach((nav, i) => nav.setAttribute("aria-label", `Code block ${i + 1}`));
  };
  fit();
  setTimeout(fit, 300);  // the buttons come later
});

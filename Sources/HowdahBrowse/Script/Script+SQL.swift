extension Script {
    /// The query of the SQL page, which is not in an address: the tab keeps it.
    static let query = #"""
        const keepQuery = () => {
          const query = document.querySelector('textarea#query');
          if (!query) return;
          const key = 'howdah.query.' + root;
          try {
            if (!query.value && !location.search) query.value = sessionStorage.getItem(key) ?? '';
            query.form.addEventListener('submit', () => sessionStorage.setItem(key, query.value));
          } catch { /* It is not kept. */ }
          query.addEventListener('keydown', event => {
            if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
            event.preventDefault();
            query.form.requestSubmit();
          });
        };

        """#
}

extension Script {
    /// The choice of columns, which stays for the links to an entity.
    static let columns = #"""
        const columnsOf = name => `columns.${root}.${name}`;
        // Links without a choice of their own get the last one. One that no longer works is forgotten.
        const rememberColumns = () => {
          const path = root + '/objects/';
          const nameOf = address => decodeURIComponent(address.pathname.slice(path.length));
          const chosen = new URLSearchParams(location.search).getAll('column').filter(Boolean);
          const own = location.pathname.startsWith(path) ? nameOf(location) : null;
          let isOwnChoice = false;
          try {
            isOwnChoice = sessionStorage.getItem('howdah.chosen') === own;
            sessionStorage.removeItem('howdah.chosen');
          } catch { /* Nothing was remembered. */ }
          // An address of another person is no choice.
          if (chosen.length && own !== null && (isOwnChoice || !table)) keep(columnsOf(own), table ? chosen : []);
          for (const link of document.querySelectorAll('a[href]')) {
            const address = new URL(link.href);
            if (address.origin !== location.origin || !address.pathname.startsWith(path)) continue;
            const name = nameOf(address);
            // The table's own links have the columns that it shows.
            if (address.searchParams.has('column') || address.hash || (address.search && name === own)) continue;
            const columns = kept(columnsOf(name), []).map(column => 'column=' + encode(column));
            if (columns.length) link.href = address.pathname + (address.search ? address.search + '&' : '?') + columns.join('&');
          }
        };
        const chooseColumns = () => {
          const boxes = [...field.form.querySelectorAll('[type=checkbox][name=column]')];
          const all = isOn => () => { for (const box of boxes) box.checked = isOn; };
          const usual = () => {
            all(false)();
            field.form.querySelector('#path').value = '';
            field.form.requestSubmit();
          };
          field.form.querySelector('.choice').append(
            ' ', button('All', all(true)), ' ', button('None', all(false)), ' ', button('As usual', usual));
        };

        """#
}

extension Script {
    /// Menus of cells, and columns that fold.
    static let cells = #"""
        const headings = () => [...table.tHead.rows[0].cells];
        const addToFilter = text => {
          const now = field.value.trim();
          field.value = !now ? text : /\bOR\b/i.test(now) ? `(${now}) AND ${text}` : `${now} AND ${text}`;
          field.form.requestSubmit();
        };
        const sortBy = text => {
          document.getElementById('sort').value = text;
          field.form.requestSubmit();
        };
        // The value of a cell as the parser reads it; null if the cell does not show all of it.
        const literal = (cell, kind) => {
          if (cell.querySelector('.cut')) return null;
          const text = cell.textContent;
          // The key of an object is not the value of its label.
          if (cell.querySelector('a.key')) return null;
          if (cell.querySelector('.null')) return text === 'nil' ? 'nil' : text === 'empty text' && kind === 'text' ? '""' : null;
          if (kind === 'number' && /^-?[0-9.e+-]+$/.test(text)) return text;
          if (kind === 'boolean') return text;
          const date = kind === 'date' && /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(\.\d+)?([+-]\d\d)(:\d\d)?$/.exec(text);
          if (date) {
            const [, day, time, fraction = '', hours, minutes = ':00'] = date;
            const zone = hours + minutes;
            return day + 'T' + time + fraction + (/^[+-]00:00$/.test(zone) ? 'Z' : zone);
          }
          if (kind !== 'text' || text.length > 100 || /[\n\r\t\uFFFD]/.test(text)) return null;
          return '"' + text.replaceAll('\\', '\\\\').replaceAll('"', '\\"') + '"';
        };
        let closeMenu = () => {};
        const openMenu = cell => {
          closeMenu();
          const { path, kind, sort, one, inverse, values } = headings()[cell.cellIndex].dataset;
          const value = path ? literal(cell, kind) : null;
          const entries = [];
          if (one && cell.querySelector('.null')) {
            for (const text of [`${one} == nil`, `${one} != nil`]) entries.push([`AND ${text}`, () => addToFilter(text), text]);
          } else if (value !== null) {
            const tests = (kind === 'number' || kind === 'date') && value !== 'nil' ? ['==', '!=', '>=', '<='] : ['==', '!='];
            for (const test of tests) {
              const text = `${path} ${test} ${value}`;
              entries.push([`AND ${text}`, () => addToFilter(text), text]);
            }
          }
          const object = inverse && cell.querySelector('a[href*="/object/"]');
          if (object) {
            const owner = new URL(object.href).pathname.slice((root + '/object/').length).split('/').map(decodeURIComponent);
            const members = `${root}/objects/${segment(entity)}?of=${encode([...owner, inverse].join('/'))}`;
            entries.push([`All with this ${one}`, () => { location.href = members; }]);
          }
          if (sort) {
            entries.push(['Sort ascending', () => sortBy(sort)], ['Sort descending', () => sortBy('-' + sort)]);
          }
          if (values) entries.push(['Values and their numbers', () => { location.href = values; }]);
          if (!entries.length) return;
          const items = entries.map(([text, action, filter]) =>
            button(text, action, { role: 'menuitem', tabindex: '-1', ...(filter && { 'data-filter': filter }) }));
          const menu = make('div', { class: 'menu', role: 'menu', 'aria-label': 'Menu of the cell' }, ...items);
          const place = cell.getBoundingClientRect();
          table.closest('main').append(menu);
          const isBelow = place.bottom + menu.offsetHeight < innerHeight || place.top < menu.offsetHeight;
          menu.style.top = (isBelow ? place.bottom : place.top - menu.offsetHeight) + scrollY + 'px';
          menu.style.left = Math.max(4, Math.min(place.left, innerWidth - menu.offsetWidth - 8)) + scrollX + 'px';
          const outside = event => { if (!menu.contains(event.target)) closeMenu(); };
          closeMenu = () => {
            closeMenu = () => {};
            document.removeEventListener('mousedown', outside);
            menu.remove();
          };
          document.addEventListener('mousedown', outside);
          menu.addEventListener('keydown', event => {
            const now = items.indexOf(document.activeElement);
            if (event.key === 'ArrowDown') items[(now + 1) % items.length].focus();
            else if (event.key === 'ArrowUp') items[(now + items.length - 1) % items.length].focus();
            else if (event.key === 'Escape' || event.key === 'Tab') {
              closeMenu();
              cell.focus();
            } else return;
            event.preventDefault();
            event.stopPropagation();
          });
          items[0].focus();
        };
        const openMenus = () => {
          const cells = table.tBodies[0].querySelectorAll('td');
          for (const cell of cells) cell.tabIndex = -1;
          if (cells.length) {
            table.closest('.scroll').after(
              make('p', { class: 'note' }, 'A click on a cell offers filters with its value, and so does the key m.'));
          }
          table.tBodies[0].addEventListener('click', event => {
            const cell = event.target.closest('td');
            // A click that selects text, or that another element answers, opens nothing.
            if (!cell || event.target.closest('a, summary, button') || !getSelection().isCollapsed) return;
            openMenu(cell);
          });
        };
        const foldColumns = () => {
          headings().forEach((heading, column) => {
            const parts = [...table.tBodies[0].rows].map(row => row.cells[column].querySelector('details')).filter(Boolean);
            if (!parts.length) return;
            const name = heading.textContent;
            const key = `unfold.${root}.${entity}.${name}`;
            const show = isOpen => {
              for (const part of parts) part.open = isOpen;
              toggle.textContent = isOpen ? 'fold' : 'unfold';
              toggle.setAttribute('aria-label', toggle.textContent + ' ' + name);
            };
            const toggle = button('', () => {
              keep(key, !parts[0].open);
              show(!parts[0].open);
            }, { class: 'small' });
            heading.append(' ', toggle);
            show(kept(key, false));
          });
        };

        """#

    /// Marks of rows that changed since the page was made, while it is visible.
    static let live = #"""
        const watchRows = () => {
          const rows = new Map();
          for (const row of table.tBodies[0].rows) {
            if (row.dataset.key) rows.set(row.dataset.key, { row, mark: row.dataset.version, isChanged: false });
          }
          if (!rows.size) return;
          const line = make('p', { id: 'changes', class: 'changes', role: 'status' });
          table.closest('.scroll').before(line);
          let [delay, timer] = [2000, 0];
          const show = (one, word) => {
            one.row.querySelector('.changed')?.remove();
            one.row.cells[0].append(' ', make('span', { class: 'badge changed' }, word));
            one.row.dataset.changed = word;
            one.isChanged = true;
          };
          const compare = ({ rows: found, gone, written }) => {
            let isNews = false;
            for (const [key, mark] of Object.entries(found)) {
              const one = rows.get(key);
              // The page has the version; the first answer adds the mark, and names rows that were written since.
              const isSame = !one.mark.includes('.') && mark.split('.')[0] === one.mark && !written.includes(key);
              one.mark = mark;
              if (isSame) continue;
              show(one, 'changed');
              isNews = true;
            }
            for (const key of gone) {
              show(rows.get(key), 'deleted');
              rows.get(key).isGone = true;
              isNews = true;
            }
            if (!isNews) return;
            const count = [...rows.values()].filter(({ isChanged }) => isChanged).length;
            line.replaceChildren(`${count} ${count === 1 ? 'row' : 'rows'} changed. `,
              button('Show', () => location.reload()));
          };
          const look = async () => {
            if (document.visibilityState !== 'visible') return;
            const asked = [...rows].filter(([, { isGone }]) => !isGone).map(([key, { mark }]) => key + '.' + mark);
            try {
              if (asked.length) compare(await ask(`/versions/${segment(entity)}?rows=${asked.join(',')}&since=${encode(table.dataset.snapshot || '')}`));
              delay = 2000;
            } catch (status) {
              // The session or the entity is no longer there, or the server rests.
              if ([401, 403, 404].includes(status)) return;
              delay = Math.min(delay * 2, 60000);
            }
            timer = setTimeout(look, delay);
          };
          document.addEventListener('visibilitychange', () => {
            clearTimeout(timer);
            if (document.visibilityState === 'visible') timer = setTimeout(look, 100);
          });
          timer = setTimeout(look, 100);
        };

        """#
}

extension Script {
    /// Single keys, which can be switched off.
    static let keys = #"""
        const help = [
          ['/', 'write a filter'], ['j, k', 'next, previous row'], ['h, l', 'cell to the left, to the right'],
          ['m', 'menu of the cell'], ['Enter', 'open the row, or the link of the cell'], ['u', 'up, from an object to its table'],
          ['[, ]', 'previous, next page'], ['Control-Enter', 'run the query in SQL'], ['?', 'this list'],
        ];
        const showHelp = () => {
          const box = make('input', { type: 'checkbox', id: 'keys-on' });
          box.checked = kept('keys', true);
          box.addEventListener('change', () => keep('keys', box.checked));
          const rows = help.flatMap(([key, text]) => [make('dt', null, make('kbd', null, key)), make('dd', null, text)]);
          const dialog = make('dialog', { 'aria-labelledby': 'keys-title' },
            make('h2', { id: 'keys-title' }, 'Keys'), make('dl', null, ...rows),
            make('p', null, make('label', { for: 'keys-on' }, box, ' Use these keys')),
            button('Close', () => dialog.close()));
          dialog.addEventListener('close', () => dialog.remove());
          document.body.append(dialog);
          dialog.showModal();
        };
        const follow = selector => {
          const link = document.querySelector(selector);
          if (link) location.assign(link.href);
          return Boolean(link);
        };
        const moveRow = step => {
          const rows = [...document.querySelectorAll('main tbody tr')].filter(row => row.querySelector('th a'));
          const now = rows.indexOf(document.activeElement.closest?.('tr'));
          const next = rows[now < 0 ? 0 : Math.max(0, Math.min(rows.length - 1, now + step))];
          next?.querySelector('th a').focus();
          next?.scrollIntoView({ block: 'nearest' });
          return Boolean(next);
        };
        const moveCell = step => {
          const cell = document.activeElement.closest?.('th, td');
          const next = step > 0 ? cell?.nextElementSibling : cell?.previousElementSibling;
          (next?.querySelector(':scope > a') && next.tagName === 'TH' ? next.querySelector('a') : next)?.focus();
          next?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
          return Boolean(next);
        };
        const goUp = () => {
          // The last one is the nearest page.
          const link = [...document.querySelectorAll('[rel=up]')].at(-1);
          if (!link) return follow('.brand a');
          // The table with its filter and page, if that was the way here.
          const list = sessionStorage.getItem('howdah.list.' + new URL(link.href).pathname);
          location.assign(list ?? link.href);
          return true;
        };
        const actions = {
          '/': () => field && (field.focus(), field.select(), true),
          j: () => moveRow(1), k: () => moveRow(-1), h: () => moveCell(-1), l: () => moveCell(1),
          m: () => {
            const focus = document.activeElement;
            const cell = focus.closest('td') ?? focus.closest('tr')?.querySelector('td');
            return cell && table?.contains(cell) && (openMenu(cell), true);
          },
          Enter: () => {
            const cell = document.activeElement;
            if (cell.tagName !== 'TD') return false;
            const link = cell.querySelector('a') ?? cell.parentElement.querySelector('th a');
            if (link) location.assign(link.href);
            return Boolean(link);
          },
          u: goUp,
          '[': () => follow('[rel=prev]'), ']': () => follow('[rel=next]'),
          '?': () => (showHelp(), true),
        };
        const listenToKeys = () => {
          if (table) {
            try { sessionStorage.setItem('howdah.list.' + location.pathname, location.href); } catch { /* Not kept. */ }
          }
          document.querySelector('header nav ul').append(make('li', null, button('Keys', showHelp, { class: 'small' })));
          document.addEventListener('keydown', event => {
            if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented) return;
            if (event.target.closest?.('input, textarea, select, dialog, [role=menu], [contenteditable]')) return;
            if (!Object.hasOwn(actions, event.key) || !kept('keys', true)) return;
            if (actions[event.key]()) event.preventDefault();
          });
        };

        """#
}

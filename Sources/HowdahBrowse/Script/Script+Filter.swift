extension Script {
    /// Completion of names and words in the filter, as a combobox with a list.
    static let completion = #"""
        const longest = 36000;
        const words = ['AND', 'OR', 'NOT', 'IN', 'BETWEEN', 'BEGINSWITH', 'CONTAINS', 'ENDSWITH', 'LIKE', 'MATCHES',
          'ANY', 'ALL', 'NONE', 'SUBQUERY', 'nil', 'TRUE', 'FALSE'].map(name => ({ name, type: 'keyword' }));
        const comparisons = type => {
          const isText = /^(string|uri|uuid)$/.test(type), isNumber = /^(integer|decimal|double|float|date)/.test(type);
          const names = ['==', '!=', ...(isNumber ? ['<', '<=', '>', '>=', 'BETWEEN'] : []),
            ...(isText ? ['CONTAINS[cd]', 'BEGINSWITH', 'ENDSWITH', 'LIKE'] : []), ...(isText || isNumber ? ['IN'] : [])];
          return names.map(name => ({ name, type: 'comparison' }));
        };
        const known = new Map();
        const namesOf = entity => {
          if (!known.has(entity)) {
            known.set(entity, ask('/names/' + segment(entity)).then(answer => answer.names, () => []));
          }
          return known.get(entity);
        };
        // The name that ends at the caret, or the text that begins there after a comparison; null within another text.
        const spot = () => {
          const all = field.value.slice(0, field.selectionStart);
          const before = all.replace(/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/g, text => ' '.repeat(text.length));
          if (/["']/.test(before)) {
            const found = /([\p{L}_][\p{L}\p{N}_.]*)\s*(?:==?|!=|<>)\s*"([^"\\]*)$/u.exec(all);
            return found && { path: found[1].split('.'), typed: found[2], isText: true };
          }
          const whole = /(?:^|[(\s])([\p{L}_][\p{L}\p{N}_.]*)\s+$/u.exec(before);
          if (whole) return { path: whole[1].split('.'), typed: '', isText: false, isWhole: true };
          const path = (/[\p{L}_@][\p{L}\p{N}_.@]*$/u.exec(before)?.[0] ?? '').split('.');
          return { typed: path.pop(), path, isText: false };
        };
        const candidates = async ({ path, typed, isText, isWhole }) => {
          let [names, found] = [await namesOf(entity), null];
          for (const part of path) {
            found = names.find(({ name }) => name === part);
            if (!found) return isWhole && /^(AND|OR|NOT|ANY|ALL)$/i.test(part) ? names.slice(0, 12) : [];
            names = found.parts ?? (found.entity ? await namesOf(found.entity) : []);
          }
          if (isWhole) return found.entity || found.parts ? [] : comparisons(found.type);
          const texts = (found?.values ?? []).map(name => ({ name, type: 'value' }));
          const others = found?.many ? [{ name: '@count', type: 'number' }] : found ? [] : words;
          const lower = typed.toLowerCase();
          return (isText ? texts : [...names, ...others])
            .filter(({ name }) => name.toLowerCase().startsWith(lower) && (isText || name.toLowerCase() !== lower))
            .slice(0, 12);
        };

        let choicesAreOpen = () => false;
        const completeNames = () => {
          const list = make('ul', { id: 'choices', class: 'choices', role: 'listbox', 'aria-label': 'Completions' });
          list.hidden = true;
          field.after(list);
          const attributes = { role: 'combobox', 'aria-autocomplete': 'list', 'aria-controls': 'choices', 'aria-expanded': 'false' };
          for (const [key, value] of Object.entries(attributes)) field.setAttribute(key, value);
          let [shown, active, turn] = [[], -1, 0];
          choicesAreOpen = () => !list.hidden;

          const close = () => {
            turn += 1;
            list.hidden = true;
            field.setAttribute('aria-expanded', 'false');
            field.removeAttribute('aria-activedescendant');
          };
          const choose = index => {
            active = index;
            [...list.children].forEach((item, place) => item.setAttribute('aria-selected', String(place === index)));
            field.setAttribute('aria-activedescendant', 'choice-' + index);
            list.children[index].scrollIntoView({ block: 'nearest' });
          };
          const take = index => {
            const { name, typed: marked, entity, many, parts } = shown[index];
            const end = field.selectionStart;
            const { typed, isText } = spot();
            const begin = end - typed.length;
            const text = (marked ?? name) + (isText ? '" ' : (entity && !many) || parts ? '.' : ' ');
            field.setRangeText(text, begin, end, 'end');
            close();
            field.dispatchEvent(new Event('input', { bubbles: true }));
          };
          const open = async isAsked => {
            const mine = ++turn;
            const place = spot();
            if (!place || !(isAsked || place.isText || place.typed || place.path.length)) return close();
            const found = await candidates(place);
            if (mine !== turn) return;
            if (!found.length) return close();
            shown = found;
            list.replaceChildren(...found.map(({ name, type }, index) => {
              const item = make('li', { id: 'choice-' + index, role: 'option', 'aria-selected': 'false' },
                name, ' ', make('span', { class: 'note' }, type));
              item.addEventListener('mousedown', event => event.preventDefault());
              item.addEventListener('click', () => take(index));
              return item;
            }));
            active = -1;
            field.removeAttribute('aria-activedescendant');
            list.hidden = false;
            field.setAttribute('aria-expanded', 'true');
          };
          field.addEventListener('input', () => open(false));
          field.addEventListener('blur', close);
          field.addEventListener('keydown', event => {
            const isOpen = !list.hidden;
            if (event.key === 'ArrowDown' && !isOpen) open(true);
            else if (!isOpen) return;
            else if (event.key === 'ArrowDown') choose((active + 1) % shown.length);
            else if (event.key === 'ArrowUp') choose((active + shown.length) % (shown.length + 1) % shown.length);
            else if (event.key === 'Escape') close();
            else if (event.key === 'Enter' && active >= 0) take(active);
            else if (event.key === 'Tab' && !event.shiftKey) take(Math.max(active, 0));
            else return;
            event.preventDefault();
          });
        };

        """#

    /// The fault of a filter while it is typed.
    static let check = #"""
        const checkWhileTyping = () => {
          const line = make('div', { id: 'typed', role: 'status' });
          document.getElementById('choices').after(line);
          let [timer, turn] = [0, 0];
          const show = answer => {
            document.getElementById('fault')?.remove();
            line.replaceChildren();
            field.removeAttribute('aria-invalid');
            if (!answer.message) return field.removeAttribute('aria-describedby');
            field.setAttribute('aria-describedby', 'typed');
            if (answer.searched) {
              const search = button(`Find “${field.value.trim()}”`, () => {
                field.value = answer.mended;
                field.form.requestSubmit();
              });
              const texts = answer.searched === 1 ? 'the text' : `the ${answer.searched} texts`;
              return line.append(make('div', { class: 'note' }, search, ` in ${texts} of ${entity}, or go on with a condition.`));
            }
            // What is not finished is not wrong yet.
            const isOpen = answer.token === '' && !answer.after.trim();
            if (!isOpen) field.setAttribute('aria-invalid', 'true');
            const box = make('div', { class: isOpen ? 'note' : 'error' }, make('p', null, answer.message));
            if (answer.token !== undefined) {
              box.append(make('pre', null, answer.before, make('mark', null, answer.token || '▲'), answer.after));
            }
            if (answer.mended) {
              box.append(button('Use ' + answer.mended, () => {
                field.value = answer.mended;
                field.focus();
                check();
              }));
            }
            line.append(box);
          };
          const check = async () => {
            const [mine, text] = [++turn, field.value.trim()];
            if (encode(text).length > longest) return show({ message: 'The filter is too long for an address. Shorten it.' });
            try {
              const answer = text ? await ask(`/check/${segment(entity)}?where=${encode(text)}`) : {};
              if (mine === turn && !choicesAreOpen()) show(answer);
            } catch { /* The page checks the filter when it is sent. */ }
          };
          field.addEventListener('input', () => {
            clearTimeout(timer);
            timer = setTimeout(check, 300);
          });
          field.addEventListener('blur', () => { if (line.firstChild || field.value !== field.defaultValue) check(); });
        };

        // The form leaves out what is as usual, and is not sent with a filter that no address can have.
        const shortenAddresses = () => {
          const boxes = [...field.form.querySelectorAll('[type=checkbox][name=column]')];
          field.form.addEventListener('submit', event => {
            if (encode(field.value).length <= longest) return;
            event.preventDefault();
            field.dispatchEvent(new Event('blur'));
          });
          field.form.addEventListener('formdata', ({ formData }) => {
            for (const name of ['where', 'sort']) if (!formData.get(name)?.trim()) formData.delete(name);
            if (formData.get('rows') === '50') formData.delete('rows');
            const isUsual = !new URLSearchParams(location.search).has('column');
            const columns = formData.getAll('column').filter(Boolean);
            formData.delete('column');
            if (!columns.length) keep(columnsOf(entity), []);
            const isChosen = columns.length > boxes.filter(box => box.checked).length;
            if (isChosen || boxes.some(box => box.checked !== box.defaultChecked)) {
              try { sessionStorage.setItem('howdah.chosen', entity); } catch { /* Nothing is remembered. */ }
            }
            if (isUsual && !isChosen && boxes.every(box => box.checked === box.defaultChecked)) return;
            for (const column of columns) formData.append('column', column);
          });
        };

        const showRecentFilters = () => {
          const key = `recent.${root}.${entity}`;
          const now = new URLSearchParams(location.search).get('where');
          let recent = kept(key, []);
          if (now && table) {
            recent = [now, ...recent.filter(text => text !== now)].slice(0, 8);
            keep(key, recent);
          }
          const others = recent.filter(text => text !== now).slice(0, 5);
          if (!others.length) return;
          const items = others.map(text => make('li', null, make('a', { href: '?where=' + encode(text) }, text)));
          field.form.after(make('nav', { class: 'recent', 'aria-label': 'Recent filters' },
            make('span', { class: 'note' }, 'Recent filters'), make('ul', null, ...items)));
        };

        """#
}

extension Script {
    /// Completion of the key paths of an order, by the browser's own list.
    static let order = #"""
        const completeOrder = () => {
          const order = document.getElementById('sort');
          const list = make('datalist', { id: 'order-names' });
          order.after(list);
          order.setAttribute('list', list.id);
          let turn = 0;
          const fill = async () => {
            const mine = ++turn;
            const begin = order.value.lastIndexOf(',') + 1;
            const last = order.value.slice(begin).trim();
            const minus = last.startsWith('-') ? '-' : '';
            const path = last.slice(minus.length).split('.');
            const typed = path.pop().toLowerCase();
            let names = await namesOf(entity);
            for (const part of path) {
              const found = names.find(({ name, many }) => name === part && !many);
              names = found?.parts ?? (found?.entity ? await namesOf(found.entity) : []);
            }
            if (mine !== turn) return;
            const before = order.value.slice(0, begin) + minus + path.map(part => part + '.').join('');
            const found = names.filter(({ name, many }) => !many && name.toLowerCase().startsWith(typed)).slice(0, 20);
            list.replaceChildren(...found.map(({ name, entity, parts }) =>
              make('option', { value: before + name + (entity || parts ? '.' : '') })));
          };
          order.addEventListener('input', fill);
          order.addEventListener('focus', fill);
        };

        """#
}

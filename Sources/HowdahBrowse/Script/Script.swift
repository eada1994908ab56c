/// The script of the pages. Each page works without it.
///
/// It adds completion, checks while typing, keys, menus of cells, recent filters, chosen columns and marks of rows that changed. It
/// makes elements from texts and never from markup.
enum Script {
    static var response: BrowseResponse {
        var response = BrowseResponse(text, type: "text/javascript; charset=utf-8")
        response.headers.append(("Cache-Control", "max-age=3600"))
        return response
    }

    static let text =
        "(() => {\n'use strict';\n" + common + completion + order + check + columns + cells + keys + live
        + query + tree
        + start + "})();\n"

    /// The functions that all parts use.
    private static let common = #"""
        const root = document.currentScript.dataset.root;
        const field = document.getElementById('where');
        const table = document.querySelector('main table[data-entity]');
        const entity = field?.form.dataset.entity;
        const encode = encodeURIComponent;
        // As the server does: a browser resolves the parts . and .. of an address.
        const segment = name => (/^~*\.\.?$/.test(name) ? '~' : '') + encode(name);

        const make = (name, attributes, ...children) => {
          const element = document.createElement(name);
          for (const [key, value] of Object.entries(attributes ?? {})) element.setAttribute(key, value);
          element.append(...children);
          return element;
        };
        const button = (text, action, attributes) => {
          const element = make('button', { type: 'button', ...attributes }, text);
          element.addEventListener('click', action);
          return element;
        };
        // Storage is refused in some windows, and nothing depends on it.
        const kept = (key, other) => {
          try { return JSON.parse(localStorage.getItem('howdah.' + key)) ?? other; } catch { return other; }
        };
        const keep = (key, value) => {
          try { localStorage.setItem('howdah.' + key, JSON.stringify(value)); } catch { /* See above. */ }
        };
        const ask = async path => {
          const response = await fetch(root + path);
          if (!response.ok) throw response.status;
          return response.json();
        };

        """#

    /// A field that leaves the entities with a text in their names, if there are many.
    private static let tree = #"""
        const findInTree = () => {
          const list = document.querySelector('.tree ul');
          if (list.children.length < 20) return;
          const box = make('input', { type: 'text', 'aria-label': 'Find an entity', placeholder: 'Find an entity' });
          box.addEventListener('input', () => {
            const text = box.value.trim().toLowerCase();
            for (const item of list.children) item.hidden = !item.textContent.toLowerCase().includes(text);
          });
          list.before(box);
        };

        """#

    /// The order of the beginnings.
    private static let start = #"""
        if (field) {
          completeNames();
          completeOrder();
          checkWhileTyping();
          shortenAddresses();
          chooseColumns();
          showRecentFilters();
        }
        if (table) {
          openMenus();
          foldColumns();
          watchRows();
        }
        rememberColumns();
        listenToKeys();
        keepQuery();
        // The entities would fill a narrow window.
        const narrow = matchMedia('(max-width: 700px)');
        const foldTree = () => { document.querySelector('.tree details').open = !narrow.matches; };
        narrow.addEventListener('change', foldTree);
        foldTree();
        findInTree();

        """#
}

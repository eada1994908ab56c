/// The style of the pages: light and dark, and usable at 400 pixels.
enum Stylesheet {
    static var response: BrowseResponse {
        var response = BrowseResponse(text, type: "text/css; charset=utf-8")
        response.headers.append(("Cache-Control", "max-age=3600"))
        return response
    }

    static let text = """
        :root {
          color-scheme: light dark;
          --ground: light-dark(#fff, #16191d); --text: light-dark(#1b1f24, #e4e7eb);
          --soft: light-dark(#f3f5f7, #1f242a); --line: light-dark(#c9d0d8, #3a424c);
          --faint: light-dark(#57606b, #a3adb8); --link: light-dark(#0b57a4, #82b9f2);
          --mark: light-dark(#e2eefb, #24364a); --error: light-dark(#a3121f, #ff9a9a);
          --warning: light-dark(#7a4b00, #f2c069);
        }
        * { box-sizing: border-box; }
        body { margin: 0; background: var(--ground); color: var(--text); font: 15px/1.5 system-ui, sans-serif;
          overflow-wrap: anywhere; }
        a { color: var(--link); }
        :focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
        .skip { position: absolute; left: -100vw; }
        .skip:focus { left: 8px; top: 8px; background: var(--ground); padding: 4px 8px; z-index: 9; }
        header { display: flex; flex-wrap: wrap; gap: 4px 20px; align-items: baseline; padding: 8px 16px;
          border-bottom: 1px solid var(--line); background: var(--soft); }
        header p { margin: 0; }
        .brand { font-weight: 600; }
        .badge { border: 1px solid var(--line); border-radius: 9px; padding: 0 8px; font-size: 12px; font-weight: 400; }
        .place { color: var(--faint); font-size: 13px; overflow-wrap: anywhere; }
        nav ul { list-style: none; margin: 0; padding: 0; }
        header nav ul { display: flex; flex-wrap: wrap; gap: 2px 14px; }
        [aria-current] { font-weight: 600; color: var(--text); }
        .body { display: flex; align-items: flex-start; }
        .tree { flex: 0 0 230px; padding: 12px 8px 12px 16px; max-height: 100vh; overflow: auto; position: sticky; top: 0; }
        .tree li { overflow-wrap: anywhere; padding: 1px 4px; }
        li.depth1 { margin-left: 12px; } li.depth2 { margin-left: 24px; } li.depth3 { margin-left: 36px; }
        li.depth4 { margin-left: 48px; } li.depth5, li.depth6 { margin-left: 60px; }
        main { flex: 1 1 0; min-width: 0; padding: 12px 16px; }
        h1 { font-size: 22px; margin: 0 0 12px; overflow-wrap: anywhere; }
        .trail { font-size: 13px; color: var(--faint); }
        h2 { font-size: 17px; margin: 22px 0 8px; }
        .scroll { overflow: auto; width: fit-content; max-width: 100%; max-height: 92vh; margin: 10px 0;
          border: 1px solid var(--line); border-radius: 4px; }
        table { border-collapse: separate; border-spacing: 0; min-width: min(560px, 100%); font-size: 14px;
          font-variant-numeric: tabular-nums; }
        caption { text-align: left; color: var(--faint); padding: 4px 8px; }
        th, td { text-align: left; padding: 4px 10px; border-bottom: 1px solid var(--line); vertical-align: top;
          max-width: 340px; overflow-wrap: break-word; }
        tbody tr:last-child > * { border-bottom: 0; }
        thead th { background: var(--soft); position: sticky; top: 0; z-index: 2; max-width: none; overflow-wrap: normal; }
        tbody th { background: var(--ground); position: sticky; left: 0; z-index: 1; max-width: min(340px, 50vw); }
        tr[data-key] th { white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
        tbody th details { font-weight: 400; }
        thead th:first-child { left: 0; z-index: 3; }
        tbody tr:hover > * { background: var(--mark); } td[tabindex] { cursor: pointer; }
        .statement { display: block; min-width: min(36ch, 70vw); }
        .number { text-align: right; }
        .number, .short { white-space: nowrap; }
        td.text { min-width: min(9em, 40vw); }
        dd .long { white-space: pre-wrap; }
        td .long { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; }
        tbody th.depth1 { padding-left: 24px; } tbody th.depth2 { padding-left: 38px; } tbody th.depth3 { padding-left: 52px; }
        tbody th.depth4 { padding-left: 66px; } tbody th.depth5, tbody th.depth6 { padding-left: 80px; }
        .null, .note, .cut { color: var(--faint); font-size: 13px; }
        .null { font-style: italic; }
        .error { color: var(--error); border-left: 4px solid var(--error); padding: 4px 10px; background: var(--soft); }
        .warning { color: var(--warning); border-left: 4px solid var(--warning); padding: 4px 10px; }
        .error mark { background: none; color: inherit; text-decoration: underline wavy; font-weight: 700; }
        form { margin: 0 0 12px; }
        label { display: block; font-weight: 600; }
        fieldset { border: 1px solid var(--line); border-radius: 4px; margin: 8px 0; }
        fieldset label { display: inline-block; font-weight: 400; margin-right: 14px; }
        input[type=text], textarea, select { font: inherit; color: inherit; background: var(--ground);
          border: 1px solid var(--faint); border-radius: 4px; padding: 5px 8px; }
        input[type=text], textarea { width: 100%; font-family: ui-monospace, monospace; font-size: 14px; }
        ::placeholder { color: var(--faint); opacity: 1; }
        [aria-invalid=true] { border-color: var(--error); }
        button { font: inherit; padding: 5px 14px; border: 1px solid var(--faint); border-radius: 4px;
          background: var(--soft); color: inherit; }
        .row { display: flex; flex-wrap: wrap; gap: 8px 16px; align-items: end; margin-top: 8px; }
        .row p { margin: 0; } main > form > p { margin: 6px 0; } main > p { margin: 8px 0; } form details { margin-top: 6px; }
        .pages { display: flex; flex-wrap: wrap; gap: 8px 18px; margin: 10px 0; }
        pre { overflow-x: auto; background: var(--soft); border: 1px solid var(--line); border-radius: 4px; padding: 8px;
          margin: 6px 0; font-size: 13px; white-space: pre-wrap; overflow-wrap: anywhere; }
        dl { display: grid; grid-template-columns: fit-content(45%) 1fr; gap: 4px 14px; }
        dt { font-weight: 600; overflow-wrap: anywhere; } dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }
        .diagram { overflow: auto; }
        .diagram svg, dd img { max-width: 100%; height: auto; }
        .choices { list-style: none; margin: 2px 0 0; padding: 4px; border: 1px solid var(--faint); border-radius: 4px;
          background: var(--ground); max-height: 260px; overflow: auto; }
        .choices li { padding: 2px 6px; cursor: pointer; } .choices [aria-selected=true] { background: var(--mark); }
        .menu { position: absolute; z-index: 8; display: grid; background: var(--ground); border: 1px solid var(--faint);
          border-radius: 4px; padding: 4px; max-width: min(420px, 96vw); box-shadow: 0 4px 14px #0004; }
        .menu button { border: 0; background: none; text-align: left; overflow-wrap: anywhere; }
        .menu button:focus, .menu button:hover { background: var(--mark); }
        .small { padding: 0 8px; font-size: 13px; font-weight: 400; }
        .recent { display: flex; gap: 4px 12px; align-items: baseline; margin: 4px 0; }
        .recent > .note { white-space: nowrap; }
        .recent ul { display: flex; flex-wrap: wrap; gap: 2px 14px; font: 13px ui-monospace, monospace; }
        .recent li { white-space: nowrap; overflow: hidden; text-overflow: ellipsis; max-width: 100%; }
        .recent ul { min-width: 0; }
        .changes:empty { margin: 0; } tr[data-changed] > * { background: var(--mark); }
        .badge.changed { border-color: var(--warning); color: var(--warning); background: var(--ground); }
        tr:focus-within > * { background: var(--mark); }
        dialog { background: var(--ground); color: inherit; border: 1px solid var(--faint); border-radius: 6px; max-width: 94vw; }
        dialog::backdrop { background: #0008; }
        kbd { font: 13px ui-monospace, monospace; border: 1px solid var(--line); border-radius: 3px; padding: 0 5px; }
        footer { border-top: 1px solid var(--line); padding: 8px 16px; }
        summary { cursor: pointer; font-weight: 600; }
        @media (max-width: 700px) {
          .body { display: block; }
          .tree { position: static; max-height: 32vh; padding: 8px 16px; border-bottom: 1px solid var(--line); }
          tr[data-key] th { white-space: normal; } .wide { display: none; }
          dl { grid-template-columns: 1fr; } dd { margin-bottom: 8px; }
        }
        @media (prefers-contrast: more) { :root { --line: currentColor; --faint: currentColor; } }
        @media (prefers-reduced-motion: no-preference) { .skip { transition: left .1s; } }

        """
}

/// The icon of the pages.
enum Icon {
    static var response: BrowseResponse {
        BrowseResponse(
            """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" \
            fill="#2b5d8a"/><path d="M4 3v10M12 3v10M4 8h8" stroke="#fff" stroke-width="2"/></svg>
            """, type: "image/svg+xml")
    }
}

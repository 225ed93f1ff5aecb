import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import markdownIt from 'markdown-it'

/** Writes `docs/tasks/*.md` as pages into `web/dist/help/`, which the console links: it has no address outside. */
const root = join(import.meta.dirname, '..')
const folder = join(root, 'web/dist/help')

const style = `:root { color-scheme: light dark; font: 16px/1.6 system-ui, sans-serif }
body { max-width: 52rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: break-word }
pre, code { font: 0.875em/1.5 ui-monospace, monospace; background: light-dark(#f2f3f5, #24272c); border-radius: 4px }
code { padding: 0.1em 0.3em } pre { padding: 0.75rem; overflow-x: auto } pre code { padding: 0 }
table { display: block; overflow-x: auto; border-collapse: collapse } td code { white-space: nowrap } th, td { border: 1px solid light-dark(#ccd0d6, #454a52); padding: 0.35rem 0.6rem; text-align: start; vertical-align: top }
a { color: light-dark(#0b57b8, #8ab8ff) } li { margin-block: 0.35rem }`

const markdown = markdownIt({ html: false })
// A page of docs/ that is not served stays as its name; the task pages link each other.
const withServedLinks = (text: string) =>
  text
    .replace(/\[([^\]]+)\]\((?:\.\.\/)+[^)]*\)/g, '$1')
    .replace(/\]\(([\w-]+)\.md\)/g, '](/help/$1)')

function writePage(name: string, title: string, content: string): void {
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${style}</style>`
  const page = `<!doctype html><html lang="en"><head>${head}</head><body><main>${content}</main></body></html>\n`
  writeFileSync(join(folder, `${name}.html`), page)
}

mkdirSync(folder, { recursive: true })
const links: string[] = []
for (const file of globSync('docs/tasks/*.md', { cwd: root })) {
  const text = withServedLinks(readFileSync(join(root, file), 'utf8'))
  const title = /^# (.+)$/m.exec(text)?.[1] ?? ''
  const name = basename(file, '.md')
  writePage(name, title, markdown.render(text))
  links.push(`- [${title}](/help/${name})`)
}
writePage('index', 'Tasks', markdown.render(`# Tasks\n\n${links.sort().join('\n')}\n`))

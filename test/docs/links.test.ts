import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '../..')
const pages = globSync(['*.md', 'docs/**/*.md', 'src/mailer/providers/*/README.md'], { cwd: root })

/** The anchor that GitHub gives a heading. */
function anchorOf(heading: string): string {
  const letters = heading.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, '')
  return letters.trim().replaceAll(' ', '-')
}

function anchorsOf(page: string): Set<string> {
  const text = readFileSync(page, 'utf8').replace(/^```.*?^```/gms, '')
  return new Set([...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading)))
}

for (const page of pages) {
  const path = join(root, page)
  const text = readFileSync(path, 'utf8')

  test(`${page}: every link leads to a file and a heading of this project`, () => {
    for (const [, link = ''] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(link)) continue
      const [file = '', anchor] = link.split('#')
      const target = file === '' ? path : join(dirname(path), file)
      assert.ok(existsSync(target), link)
      if (anchor !== undefined) assert.ok(anchorsOf(target).has(anchor), link)
    }
  })

  test(`${page}: every file of the source that it names exists`, () => {
    for (const [, file = ''] of text.matchAll(
      /`((?:src|test|bench|scripts|packaging|docs)\/[\w./-]+)`/g,
    ))
      assert.ok(existsSync(join(root, file)), file)
  })
}

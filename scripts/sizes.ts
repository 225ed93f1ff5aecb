import { globSync, readFileSync, writeFileSync } from 'node:fs'

/**
 * Counts the physical lines of TypeScript: of each module of `src` without its tests, of `web`, of `bench`, and of all tests.
 * Prints them beside their budgets in `sizes.json`, and fails above one. `--write` lowers the budgets to what is used,
 * rounded up to the next hundred; it raises none.
 */
const budgetsFile = 'sizes.json'

const budgets: Record<string, number> = JSON.parse(readFileSync(budgetsFile, 'utf8'))
const sizes = countLines()
const rows = [...sizes].sort(([one], [other]) => (one < other ? -1 : 1))

if (process.argv.includes('--write')) {
  const lowered = rows.map(([part, lines]) => [part, lowerBudget(lines, budgets[part])])
  writeFileSync(budgetsFile, `${JSON.stringify(Object.fromEntries(lowered), null, 2)}\n`)
} else {
  for (const [part, lines] of rows) printPart(part, lines, budgets[part] ?? 0)
}

function countLines(): Map<string, number> {
  const sizes = new Map<string, number>()
  const files = globSync('{src,web,bench,test}/**/*.{ts,tsx}', { exclude: isGenerated })
  for (const file of files) {
    const lines = readFileSync(file, 'utf8').split('\n').length - 1
    for (const part of partsOf(file)) sizes.set(part, (sizes.get(part) ?? 0) + lines)
  }
  return sizes
}

function isGenerated(path: string): boolean {
  return path === 'web/generated' || path === 'web/dist'
}

function partsOf(file: string): string[] {
  if (file.startsWith('test/') || /\.test\.tsx?$/.test(file)) return ['test']
  const [folder = '', layer = '', module = ''] = file.split('/')
  if (folder !== 'src') return [folder]
  if (layer.endsWith('.ts')) return ['src']
  return ['src', module.endsWith('.ts') ? `src/${layer}` : `src/${layer}/${module}`]
}

function lowerBudget(lines: number, budget = Number.POSITIVE_INFINITY): number {
  return Math.min(budget, Math.ceil(lines / 100) * 100)
}

function printPart(part: string, lines: number, budget: number): void {
  const isAbove = lines > budget
  if (isAbove) process.exitCode = 1
  const remark = isAbove
    ? '  above its budget: remove lines, or name the issue that allows more'
    : ''
  process.stdout.write(`${part.padEnd(20)}${lines.toString().padStart(8)} of ${budget}${remark}\n`)
}

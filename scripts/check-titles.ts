import { execFileSync } from 'node:child_process'

/**
 * Checks the titles of the commits since `cspell.json` was added: `area: imperative`, under 70 characters, without the
 * words that it forbids. Merge commits are not checked. Without a Git history there is nothing to check.
 */
const lengthMax = 69
const form = /^[a-z][a-z0-9,/ -]*: \S/

function git(...args: string[]): string {
  try {
    return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  } catch {
    return ''
  }
}

function findFaults(title: string): string[] {
  return [
    ...(form.test(title) ? [] : ['must have the form "area: imperative title"']),
    ...(title.length <= lengthMax ? [] : [`must have ${lengthMax} characters or fewer`]),
  ]
}

const [first = ''] = git('log', '--diff-filter=A', '--format=%H', '--', 'cspell.json').split('\n')
const titles =
  first === '' ? [] : git('log', '--no-merges', '--format=%s', `${first}..HEAD`).split('\n')
const lines = titles.filter((title) => title !== '')
const faults = lines.flatMap((title) => findFaults(title).map((fault) => `"${title}" ${fault}`))
for (const fault of faults) process.stderr.write(`${fault}\n`)
if (faults.length > 0) process.exitCode = 1
if (lines.length > 0) {
  try {
    execFileSync('cspell', ['--no-progress', '--no-summary', 'stdin://titles.txt'], {
      input: lines.join('\n'),
      stdio: ['pipe', 'inherit', 'inherit'],
    })
  } catch {
    process.exitCode = 1
  }
}

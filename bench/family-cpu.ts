import { readdirSync, readFileSync } from 'node:fs'

interface Process {
  parent: number
  name: string
  seconds: number
}

/** Sums the user and system time of this process's descendants with these names, in seconds; includes ended children. */
export function familyCpuSeconds(names: readonly string[]): number {
  const all = new Map<number, Process>()
  for (const id of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const found = readProcess(id)
    if (found !== undefined) all.set(Number(id), found)
  }
  const isOurs = (id: number): boolean => {
    const parent = all.get(id)?.parent
    return parent !== undefined && (parent === process.pid || isOurs(parent))
  }
  return [...all]
    .filter(([id, each]) => names.includes(each.name) && isOurs(id))
    .reduce((sum, [, { seconds }]) => sum + seconds, 0)
}

function readProcess(id: string): Process | undefined {
  try {
    const text = readFileSync(`/proc/${id}/stat`, 'utf8')
    const [head = '', tail = ''] = text.split(') ')
    const fields = tail.split(' ').map(Number)
    const ticks = fields.slice(11, 15).reduce((sum, each) => sum + each, 0)
    return { parent: fields[1] ?? 0, name: head.slice(head.indexOf('(') + 1), seconds: ticks / 100 }
  } catch {
    // The process has ended meanwhile.
    return undefined
  }
}

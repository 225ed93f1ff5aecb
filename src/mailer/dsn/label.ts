import type { DsnNode } from '../grammar/dsn.ts'

/** Scheme, host and port of each transport, and nothing else of it: fit for logs. */
export function labelOf(node: DsnNode): string {
  if (node.type !== 'single') return `${node.type}(${node.members.map(labelOf).join(' ')})`
  return `${node.scheme}://${node.host}${node.port === undefined ? '' : `:${node.port}`}`
}

import { AppError } from '../../kit/app-error.ts'
import type { Caller } from '../../kit/caller.ts'
import type { ImportLine, ImportOptions } from './import-report.ts'
import type { PlugInAssignment } from './read-plug-ins.ts'

interface Assigning {
  found: readonly PlugInAssignment[]
  /** The transports of the plug-in, by its ids. */
  here: ReadonlyMap<number, ImportLine>
  /** A caller of the Mautic: ids are that Mautic's. */
  caller: Caller
}

/** What an email or a user is assigned to here. */
interface Assigned {
  transportId: number | null
  useOwnerTransport: boolean
}

/** Makes the assignments of a plug-in here, where there are none yet. */
export async function importAssignments(
  options: ImportOptions,
  { found, here, caller }: Assigning,
): Promise<ImportLine[]> {
  const lines: ImportLine[] = []
  for (const each of found) {
    const { kind, id, name, transportId } = each
    const target = transportId === null ? undefined : here.get(transportId)
    const line = { kind, id, name, here: target?.here ?? null, remark: remarkOn(each, target) }
    if (transportId !== null && (target === undefined || target.result === 'failed'))
      lines.push({ ...line, result: 'failed' })
    else lines.push(await assign(options, { line, each, caller }))
  }
  return lines
}

function remarkOn(
  { transportId, useOwnerTransport }: PlugInAssignment,
  target: ImportLine | undefined,
): string {
  if (transportId !== null && target === undefined)
    return `transport ${transportId} is not in the list of the plug-in`
  const transport = target === undefined ? [] : [`transport "${target.name}"`]
  const owner = useOwnerTransport === true ? ['the transport of the owner first'] : []
  return [...transport, ...owner].join(', ')
}

interface OneAssignment {
  line: Omit<ImportLine, 'result'>
  each: PlugInAssignment
  caller: Caller
}

async function assign(
  { app: { assignments }, isWriting }: ImportOptions,
  { line, each, caller }: OneAssignment,
): Promise<ImportLine> {
  const { id, kind, useOwnerTransport = false } = each
  const wanted = { transportId: line.here, useOwnerTransport }
  try {
    const now = await readAssigned(assignments, { each, caller })
    if (now.transportId !== null || now.useOwnerTransport) {
      const isSame =
        now.transportId === wanted.transportId && now.useOwnerTransport === useOwnerTransport
      if (isSame) return { ...line, result: 'exists' }
      const other = now.transportId === null ? 'the owner' : `transport ${now.transportId}`
      return { ...line, result: 'differs', remark: `is assigned to ${other} here; not changed` }
    }
    if (!isWriting) return { ...line, result: 'assign' }
    if (kind === 'email') await assignments.assignToEmail(id, wanted, caller)
    else await assignments.assignToUser(id, wanted.transportId, caller)
    return { ...line, result: 'assigned' }
  } catch (error) {
    if (!(error instanceof AppError) || error.kind === 'internal') throw error
    return { ...line, result: 'failed', remark: error.message }
  }
}

async function readAssigned(
  assignments: ImportOptions['app']['assignments'],
  { each: { kind, id }, caller }: Pick<OneAssignment, 'each' | 'caller'>,
): Promise<Assigned> {
  if (kind === 'email') {
    const { transportEmail } = await assignments.getForEmail(id, caller)
    const { transport, useOwnerTransport } = transportEmail
    return { transportId: transport?.id ?? null, useOwnerTransport }
  }
  const { transportUser } = await assignments.getForUser(id, caller)
  return { transportId: transportUser.transport?.id ?? null, useOwnerTransport: false }
}

import type { App } from '../../app.ts'
import type { CallerMautic } from '../../kit/caller.ts'
import type { ReadMautic } from './read-plug-ins.ts'

/** What is done, or would be done, with one record of the plug-ins. */
export interface ImportLine {
  /** `differs`: there is another one here already, and it is not changed. */
  result: 'create' | 'created' | 'assign' | 'assigned' | 'exists' | 'differs' | 'failed'
  kind: 'transport' | 'template' | 'email' | 'user'
  /** Mautic's. */
  id: number
  name: string
  /** The id of the transport or template here; null if there is none yet. */
  here: number | null
  remark: string | null
}

/** The result of an import. */
export interface ImportReport {
  lines: readonly ImportLine[]
  /** What could not be read, as sentences. */
  notes: readonly string[]
}

/** What an import needs. */
export interface ImportOptions {
  app: Pick<App, 'transports' | 'templates' | 'assignments'>
  read: ReadMautic
  mautic: CallerMautic
  /** Whether it writes; else it only says what it would do. */
  isWriting: boolean
}

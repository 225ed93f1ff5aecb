import { useEffect, useRef, useState } from 'preact/hooks'
import { ApiFault, ask, type Body } from '../../lib/api.ts'
import { noteMask } from '../../lib/hide-secrets.ts'

/** What the API says of a DSN, or of the fields of one. */
export type Inspection = Body<'POST', '/api/multipleTransports/dsn/inspect'>

/** The fields of a DSN, as they are typed. */
export interface DsnForm {
  /** Stays the same while members are moved. */
  key: number
  provider: string
  variant: string
  fields: Readonly<Record<string, string | number | boolean>>
  members: readonly DsnForm[]
}

/** A DSN and its fields, which follow each other. */
export type DsnEditing = ReturnType<typeof useDsn>

const typingPauseMs = 250
let lastKey = 0

/** Creates the fields of a transport that a person chooses. */
export function createForm(provider: string, variant: string): DsnForm {
  lastKey += 1
  return { key: lastKey, provider, variant, fields: {}, members: [] }
}

interface Latest {
  dsn: string
  inspection: Inspection | undefined
}

/** Edits a DSN, as text or as fields. `id` is the saved transport whose secrets stand behind masks. */
export function useDsn({
  id,
  dsn,
  onDsn,
}: {
  id: number | undefined
  dsn: string
  onDsn: (dsn: string) => void
}) {
  const [form, setFormState] = useState<DsnForm>()
  const [inspection, setInspection] = useState<Inspection>()
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set())
  const [isChecked, setChecked] = useState(false)
  const latest = useRef<Latest>({ dsn: '', inspection: undefined })
  const later = useLater()
  const ofStored = id === undefined ? {} : { id }

  const show = (next: Latest) => {
    latest.current = next
    const masked = next.inspection?.maskedDsn
    if (masked) noteMask(next.dsn, masked)
    setInspection(next.inspection)
    onDsn(next.dsn)
  }
  const inspect = async (mailerDsn: string, signal: AbortSignal) => {
    const body = { mailerDsn, ...ofStored }
    const path = '/api/multipleTransports/dsn/inspect'
    const answer = (await ask('POST', path, { body, signal, isRead: true })).body
    show({ dsn: mailerDsn, inspection: answer })
    setFormState((before) => readForm(answer, before))
  }
  const build = async (next: DsnForm, signal: AbortSignal) => {
    const body = { ...toBody(next), ...ofStored }
    const path = '/api/multipleTransports/dsn/build'
    const answer = (await ask('POST', path, { body, signal, isRead: true })).body
    show({ dsn: answer.mailerDsn ?? '', inspection: answer })
  }
  const begin = (next: string, pauseMs: number) => {
    latest.current = { dsn: next, inspection: undefined }
    setTouched(new Set())
    setChecked(false)
    if (next !== '') return later.start((signal) => inspect(next, signal), pauseMs)
    later.stop()
    setInspection(undefined)
    setFormState(undefined)
  }
  useEffect(() => {
    // From elsewhere: it was loaded, or the changes were dropped.
    if (dsn !== latest.current.dsn) begin(dsn, 0)
  }, [dsn])
  return {
    dsn,
    /** Undefined where the scheme of the DSN is not known, or where there is no DSN yet. */
    form,
    /** What the API said last. */
    inspection,
    /** The fault of a field, such as `members.0.password`, once it was typed in or was to be saved. */
    faultOf: (path: string) =>
      isChecked || touched.has(path) ? inspection?.details?.[path]?.join(' ') : undefined,
    /** Changes the fields; `path` is the one that was typed in. The DSN follows. */
    setForm: (next: DsnForm, path?: string) => {
      setFormState(next)
      // The fields of another variant may have the same names.
      if (next.provider !== form?.provider || next.variant !== form.variant) setTouched(new Set())
      if (path !== undefined) setTouched((before) => new Set(before).add(path))
      later.start((signal) => build(next, signal), typingPauseMs)
    },
    /** Changes the DSN. The fields follow. */
    setDsn: (next: string) => {
      begin(next, typingPauseMs)
      onDsn(next)
    },
    /** Waits until both agree, and returns the DSN. Throws an ApiFault where the fields make none. */
    settle: async () => {
      await later.finish()
      const { dsn: settled, inspection: last } = latest.current
      if (last?.details === undefined) return settled
      setChecked(true)
      throw new ApiFault(400, last.error ?? '')
    },
  }
}

/** Runs the last of several tasks after a pause, or at once. */
function useLater() {
  const job = useRef<{ run: () => Promise<void>; stop: () => void } | undefined>(undefined)
  const stop = () => {
    job.current?.stop()
    job.current = undefined
  }
  useEffect(() => stop, [])
  return {
    stop,
    start(task: (signal: AbortSignal) => Promise<void>, pauseMs: number) {
      stop()
      const controller = new AbortController()
      let running: Promise<void> | undefined
      const run = () => {
        running ??= task(controller.signal).then(() => {
          if (job.current?.run === run) job.current = undefined
        })
        // Without an answer the next key, or saving, tries again.
        running.catch(() => {
          running = undefined
        })
        return running
      }
      const timer = setTimeout(() => void run(), pauseMs)
      job.current = {
        run,
        stop() {
          clearTimeout(timer)
          controller.abort()
        },
      }
    },
    finish: async () => job.current?.run(),
  }
}

interface FormPart extends Pick<DsnForm, 'provider' | 'variant' | 'fields'> {
  members: FormPart[]
}

/** Reads the fields from an answer. Those that were there keep their keys. */
function readForm(answer: Inspection, before: DsnForm | undefined): DsnForm | undefined {
  const { provider, variant, fields } = answer
  if (provider === null || variant === null) return undefined
  const members = answer.members as unknown as FormPart[]
  return withKeys({ provider, variant, fields, members }, before)
}

function withKeys(part: FormPart, before: DsnForm | undefined): DsnForm {
  const { key } = before ?? createForm('', '')
  const members = part.members.map((member, index) => withKeys(member, before?.members[index]))
  return { ...part, key, members }
}

function toBody({ provider, variant, fields, members }: DsnForm): FormPart {
  return { provider, variant, fields, members: members.map(toBody) }
}

import { useContext, useState } from 'preact/hooks'
import { Button } from '../../design/button.tsx'
import { Warnings } from '../../design/feedback.tsx'
import { Field, ReadField, Reading } from '../../design/field.tsx'
import { hideSecrets } from '../../lib/hide-secrets.ts'
import { type EndingLogin, isShown } from '../../records/ending-login.tsx'
import type { Provider } from '../../records/providers.tsx'
import { words } from '../../words/common.ts'
import { dsnWords as texts } from '../../words/dsn-form.ts'
import { DsnFields } from './dsn-fields.tsx'
import type { DsnEditing, Inspection } from './use-dsn.ts'

/** A DSN as fields and as text. Both follow each other while you type. */
export function DsnEditor({
  editing,
  providers,
  endingLogins,
  fault,
}: {
  editing: DsnEditing
  providers: readonly Provider[]
  /** Those that the page shows. */
  endingLogins: readonly EndingLogin[]
  /** The fault of the DSN as a whole. */
  fault: string | undefined
}) {
  const { dsn, form, inspection, faultOf, setForm } = editing
  const [isTyped, setTyped] = useState(false)
  const warnings = inspection?.warnings?.filter((warning) => !isShown(warning, endingLogins))
  if (useContext(Reading) !== undefined)
    return (
      <>
        <ReadField label={texts.provider}>
          {providers.find(({ name }) => name === form?.provider)?.title}
        </ReadField>
        <ReadField label={texts.text}>
          <code>{inspection?.maskedDsn ?? hideSecrets(dsn)}</code>
        </ReadField>
        <DsnMeaning inspection={inspection} />
      </>
    )
  return (
    <>
      <DsnFields
        providers={providers}
        form={form}
        path=""
        isReading={dsn !== '' && inspection === undefined}
        faultOf={faultOf}
        endingLogins={endingLogins}
        onForm={(next, path) => {
          setTyped(false)
          setForm(next, path)
        }}
      />
      <DsnText editing={editing} fault={fault} isTyped={isTyped} onTyped={() => setTyped(true)} />
      <DsnMeaning inspection={inspection} />
      <Warnings texts={warnings} />
    </>
  )
}

/** The DSN. Its secrets are masked until they are shown, except while it is typed here. */
function DsnText({
  editing,
  fault,
  isTyped,
  onTyped,
}: {
  editing: DsnEditing
  fault: string | undefined
  isTyped: boolean
  onTyped: () => void
}) {
  const { dsn, inspection, setDsn } = editing
  const [isShown, setShown] = useState(false)
  const masked = inspection?.maskedDsn ?? ''
  const hasSecrets = dsn !== '' && dsn !== masked
  const isHidden = hasSecrets && !isShown && !isTyped
  const isFaulty = inspection?.valid === false && inspection.details === undefined
  return (
    <Field
      label={texts.text}
      fault={fault ?? (isFaulty && dsn !== '' ? inspection.error : undefined)}
      help={isHidden ? texts.hidden : texts.textHelp}
    >
      {(described) => (
        <div class="with-button" data-field="dsn">
          <textarea
            {...described}
            class="input mono one-line"
            rows={1}
            value={isHidden ? masked : dsn}
            readOnly={isHidden}
            autocomplete="off"
            spellcheck={false}
            placeholder={texts.textExample}
            onInput={(event) => {
              onTyped()
              setDsn(event.currentTarget.value.replace(/[\r\n]+\s*/g, ''))
            }}
          />
          {hasSecrets && !isTyped && (
            <Button
              aria-label={words.showValue(texts.text)}
              aria-pressed={isShown}
              onClick={() => setShown(!isShown)}
            >
              {isShown ? words.hide : words.show}
            </Button>
          )}
        </div>
      )}
    </Field>
  )
}

type Tls = keyof typeof texts.tls

/** Which server the DSN connects to, and how. */
function DsnMeaning({ inspection }: { inspection: Inspection | undefined }) {
  const meaning: { host?: string | null; port?: number | null; tls?: Tls | null } =
    inspection?.transport ?? {}
  const { host, port, tls } = meaning
  if (host == null) return null
  const connects = texts.connects(port == null ? host : `${host}:${port}`)
  return (
    <p class="quiet small">
      {connects} {tls && texts.tls[tls]}
    </p>
  )
}

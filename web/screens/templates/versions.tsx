import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from '../../design/button.tsx'
import { Confirm, Dialog } from '../../design/dialog.tsx'
import { Show } from '../../design/page.tsx'
import { Time } from '../../design/time.tsx'
import type { Body } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { useAction } from '../../lib/use-action.ts'
import { useAnswer } from '../../lib/use-data.ts'
import type { Form } from '../../lib/use-form.ts'
import { DiffView } from '../../records/code/diff-view.tsx'
import { words } from '../../words/common.ts'
import { counted, formatNumber } from '../../words/format.ts'
import type { Draft } from './draft.ts'

const text = {
  name: (version: number) => `Version ${version}`,
  title: (version: number) => `Compare version ${version}`,
  current: 'Current',
  compare: 'Compare',
  editing: 'In the editor',
  restore: 'Restore',
  restoreName: (version: number) => `Restore version ${version}`,
  replaceTitle: (version: number) => `Restore version ${version}?`,
  replaceText: 'It replaces your changes on this page, which are not saved.',
  lines: (added: number, removed: number) =>
    `${counted(added, 'line')} added, ${formatNumber(removed)} removed`,
} as const

type Version = Body<'GET', '/api/twigTemplates/{id}/versions'>['versions'][number]

interface VersionsProps {
  id: number
  form: Form<Draft>
  /** Puts a version into the editor, and begins to save it. */
  onRestore: (version: number) => Promise<void>
}

/** The saved versions of a template, the newest first, with the lines that each changed. */
export function Versions({ id, form, onRestore }: VersionsProps) {
  const [shown, setShown] = useState<Version>()
  const { isBusy, run } = useAction()
  const path = '/api/twigTemplates/{id}/versions'
  const loaded = useAnswer(path, { path: { id } }, { keys: [form.etag] })
  const [asked, setAsked] = useState<number>()
  const restore = (version: number) => {
    setShown(undefined)
    if (form.isChanged) setAsked(version)
    else void run(() => onRestore(version))
  }
  const restoreButton = ({ version }: Version) =>
    can('twigtemplates:edit') && (
      <Button
        isBusy={isBusy}
        aria-label={text.restoreName(version)}
        onClick={() => restore(version)}
      >
        {text.restore}
      </Button>
    )
  return (
    <Show loaded={loaded}>
      {({ versions }) => (
        <>
          <ol class="lines">
            {versions.map((version, index) => (
              <li key={version.version} class="spread">
                <span>
                  <strong>{text.name(version.version)}</strong> <ChangedLines of={version} />{' '}
                  <span class="quiet small">
                    <Time iso={version.dateAdded} /> · {version.createdBy}
                  </span>
                  {version.note !== null && <p class="small">{version.note}</p>}
                </span>
                {index === 0 ? (
                  <span class="quiet small">{text.current}</span>
                ) : (
                  <span class="row">
                    <Button
                      aria-label={text.title(version.version)}
                      onClick={() => setShown(version)}
                    >
                      {text.compare}
                    </Button>
                    {restoreButton(version)}
                  </span>
                )}
              </li>
            ))}
          </ol>
          {asked !== undefined && (
            <Confirm
              title={text.replaceTitle(asked)}
              text={text.replaceText}
              action={text.restore}
              onConfirm={() => onRestore(asked)}
              onClose={() => setAsked(undefined)}
            />
          )}
          {shown !== undefined && (
            <VersionDialog
              id={id}
              code={form.draft.template}
              version={shown.version}
              restore={restoreButton(shown)}
              onClose={() => setShown(undefined)}
            />
          )}
        </>
      )}
    </Show>
  )
}

/** How many lines a version adds and removes; nothing where that is not known. */
function ChangedLines({ of: { changedLines } }: { of: Version }) {
  if (changedLines === null) return null
  const { added, removed } = changedLines
  return (
    <span class="mono small changed-lines" title={text.lines(added, removed)}>
      <span data-sign="+">+{formatNumber(added)}</span>{' '}
      <span data-sign="-">−{formatNumber(removed)}</span>
    </span>
  )
}

/** A version beside what is in the editor. */
function VersionDialog({
  id,
  code,
  version,
  restore,
  onClose,
}: {
  id: number
  code: string
  version: number
  restore: ComponentChildren
  onClose: () => void
}) {
  const path = '/api/twigTemplates/{id}/versions/{version}'
  const loaded = useAnswer(path, { path: { id, version } })
  return (
    <Dialog title={text.title(version)} onClose={onClose} size="large">
      <div class="row">
        {restore}
        <Button onClick={onClose}>{words.close}</Button>
      </div>
      <Show loaded={loaded}>
        {({ version: { template } }) => (
          <DiffView
            before={{ text: template, label: text.name(version) }}
            after={{ text: code, label: text.editing }}
          />
        )}
      </Show>
    </Dialog>
  )
}

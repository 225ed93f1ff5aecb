import { useState } from 'preact/hooks'
import { Button } from '../../design/button.tsx'
import { Dialog } from '../../design/dialog.tsx'
import { Notice } from '../../design/feedback.tsx'
import { SelectField } from '../../design/field.tsx'
import { Show } from '../../design/page.tsx'
import { Time } from '../../design/time.tsx'
import { ask, type Body } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { showToast } from '../../lib/toasts.ts'
import { useData } from '../../lib/use-data.ts'
import { DiffView } from '../../records/code/diff-view.tsx'
import { words } from '../../words/common.ts'
import { templateWords } from '../../words/templates.ts'

type Version = Body<'GET', '/api/twigTemplates/{id}/versions'>['versions'][number]

const path = '/api/twigTemplates/{id}/versions/{version}'
const text = templateWords.versions
/** In the choice of what to compare with: the code in the editor. */
const editing = 'editing'

interface VersionsProps {
  id: number
  /** Changes with every save. */
  etag: string | undefined
  /** The code in the editor. */
  code: string
  hasChanges: boolean
  /** `restore` restores a version, whose code is `code`. */
  onRestore: (restore: (changeNote: string) => Promise<void>, code: string) => void
}

/** The versions of a template, the newest first; each can be compared and restored. */
export function Versions(props: VersionsProps) {
  const { id, etag } = props
  const [shown, setShown] = useState<Version>()
  const loaded = useData(
    async (signal) =>
      (await ask('GET', '/api/twigTemplates/{id}/versions', { path: { id }, signal })).body
        .versions,
    [id, etag],
  )
  return (
    <Show loaded={loaded}>
      {(versions) => (
        <>
          <ol class="lines">
            {versions.map((version, index) => (
              <li key={version.version} class="spread">
                <span>
                  <strong>{text.name(version.version)}</strong>{' '}
                  <span class="quiet small">
                    <Time iso={version.dateAdded} /> · {version.createdBy}
                  </span>
                  {version.note !== null && <p class="small">{version.note}</p>}
                </span>
                {index === 0 ? (
                  <span class="quiet small">{text.current}</span>
                ) : (
                  <Button
                    aria-label={text.compareName(version.version)}
                    onClick={() => setShown(version)}
                  >
                    {text.compare}
                  </Button>
                )}
              </li>
            ))}
          </ol>
          {shown !== undefined && (
            <VersionDialog
              {...props}
              versions={versions}
              version={shown}
              onClose={() => setShown(undefined)}
            />
          )}
        </>
      )}
    </Show>
  )
}

interface VersionDialogProps extends VersionsProps {
  versions: readonly Version[]
  version: Version
  onClose: () => void
}

function VersionDialog(props: VersionDialogProps) {
  const { id, etag, code, versions, version, hasChanges, onClose, onRestore } = props
  const [other, setOther] = useState(editing)
  const loaded = useData(
    async (signal) => {
      const read = async (number: number) =>
        (await ask('GET', path, { path: { id, version: number }, signal })).body.version.template
      const [before, after] = await Promise.all([
        read(version.version),
        other === editing ? undefined : read(Number(other)),
      ])
      return { before, after }
    },
    [id, version.version, other],
  )
  const restore = (code: string) => {
    onClose()
    onRestore(async (changeNote) => {
      const url = '/api/twigTemplates/{id}/versions/{version}/restore'
      const body = changeNote === '' ? {} : { changeNote }
      await ask('POST', url, { path: { id, version: version.version }, body, etag })
      showToast(text.restored(version.version))
    }, code)
  }
  const others = versions.filter((each) => each.version !== version.version)
  return (
    <Dialog title={text.title(version.version)} onClose={onClose} size="wide">
      <div class="spread">
        <SelectField
          label={text.compareWith}
          value={other}
          onValue={setOther}
          options={[
            { value: editing, label: text.editing },
            ...others.map((each) => ({
              value: String(each.version),
              label: text.name(each.version),
            })),
          ]}
        />
        <div class="row">
          {can('twigtemplates:edit') && loaded.data !== undefined && (
            <Button kind="primary" onClick={() => restore(loaded.data?.before ?? '')}>
              {text.restore}
            </Button>
          )}
          <Button onClick={onClose}>{words.close}</Button>
        </div>
      </div>
      {hasChanges && can('twigtemplates:edit') && <Notice tone="warn">{text.losesChanges}</Notice>}
      <Show loaded={loaded}>
        {({ before, after }) => (
          <DiffView
            before={{ text: before, label: text.name(version.version) }}
            after={{
              text: after ?? code,
              label: other === editing ? text.editing : text.name(Number(other)),
            }}
          />
        )}
      </Show>
    </Dialog>
  )
}

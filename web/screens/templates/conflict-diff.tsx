import { Button } from '../../design/button.tsx'
import { Notice } from '../../design/feedback.tsx'
import type { Conflict, Form } from '../../lib/use-form.ts'
import { DiffView } from '../../records/code/diff-view.tsx'
import { conflictWords } from '../../words/conflict.ts'
import { templateWords } from '../../words/templates.ts'
import type { TemplateDraft } from './use-template-form.ts'

const text = templateWords
const facts = ['name', 'description'] as const

/** What someone else has saved in the meantime, beside what is in the editor, with the choice between both. */
export function ConflictDiff({
  form,
  conflict,
}: {
  form: Form<TemplateDraft>
  conflict: Conflict<TemplateDraft>
}) {
  const { draft, isBusy } = form
  const theirs = conflict.draft
  const changed = facts.filter((name) => draft[name] !== theirs[name])
  return (
    <section class="stack" aria-label={text.conflict.title}>
      <Notice tone="bad">
        <div class="stack">
          <p>{conflictWords.text}</p>
          {changed.map((name) => (
            <p key={name}>
              {text[name]}: {conflictWords.theirs} <code>{theirs[name]}</code> {conflictWords.mine}{' '}
              <code>{draft[name]}</code>
            </p>
          ))}
          <div class="row">
            <Button onClick={form.takeTheirs}>{conflictWords.takeTheirs}</Button>
            <Button isBusy={isBusy} onClick={form.keepMine}>
              {conflictWords.keepMine}
            </Button>
          </div>
        </div>
      </Notice>
      {draft.template !== theirs.template && (
        <DiffView
          before={{ text: theirs.template, label: text.conflict.theirs }}
          after={{ text: draft.template, label: text.conflict.mine }}
        />
      )}
    </section>
  )
}

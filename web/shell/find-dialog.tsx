import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Notice } from '../design/feedback.tsx'
import { openDialog } from '../lib/shown.ts'
import { useData } from '../lib/use-data.ts'
import { words } from '../words/common.ts'
import type { Entry } from './actions.ts'
import type { FoundGroup } from './find.ts'
import { visibleScreens } from './places.ts'

interface Results {
  /** What was searched for. */
  text: string
  groups: readonly FoundGroup[]
}

/** The global search: results by area, chosen with the arrow keys and Enter. `onLogOut` ends the session. */
export function FindDialog({
  onClose,
  onLogOut,
}: {
  onClose: () => void
  onLogOut: () => Promise<void>
}) {
  const ref = useRef<HTMLDialogElement>(null)
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState(0)
  const { results, fault } = useFound(text.trim())
  const count = results.groups.reduce((sum, { found }) => sum + found.length, 0)
  // Before the next frame: the next key belongs to it.
  useLayoutEffect(() => ref.current?.showModal(), [])
  useEffect(() => {
    ref.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  }, [chosen])
  const choose = ({ does }: Entry) => {
    onClose()
    if (does === 'logOut') void onLogOut()
    else if (does !== undefined) openDialog.value = does
  }
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && count > 0) {
      event.preventDefault()
      setChosen((chosen + step + count) % count)
    }
    // In a search field with text, Escape would only remove the text.
    if (event.key === 'Escape') {
      event.preventDefault()
      onClose()
    }
    if (event.key === 'Enter') {
      event.preventDefault()
      // A link, so that unsaved changes are asked about.
      ref.current?.querySelector<HTMLElement>('[aria-selected="true"]')?.click()
    }
  }
  const type = (value: string) => {
    setText(value)
    setChosen(0)
  }
  return (
    <dialog ref={ref} class="find" aria-label={words.find.title} onClose={onClose}>
      <input
        class="input"
        type="search"
        // biome-ignore lint/a11y/noRedundantRoles: the list is no `<datalist>`, so the role is not implied.
        role="combobox"
        list={undefined}
        aria-label={words.find.title}
        aria-autocomplete="list"
        aria-expanded={count > 0}
        aria-controls="find-results"
        aria-activedescendant={count > 0 ? `find-${chosen}` : undefined}
        placeholder={words.find.placeholder}
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={(event) => type(event.currentTarget.value)}
        onKeyDown={press}
      />
      {fault !== undefined && <Notice tone="bad">{fault.message}</Notice>}
      <ResultList groups={results.groups} chosen={chosen} onChoose={choose} />
      <p class="small quiet" role="status">
        {fault === undefined ? statusOf(text.trim(), results.text, count) : words.find.help}
      </p>
    </dialog>
  )
}

function statusOf(text: string, searched: string, count: number): string {
  if (text === '') return words.find.help
  if (searched !== text) return words.find.searching
  return count === 0 ? words.find.nothing(text) : words.find.found(count)
}

/** Searches when the typing pauses; a search that is no longer wanted is cancelled. */
function useFound(text: string) {
  const none: Results = {
    text: '',
    groups: [{ title: words.find.screens, found: visibleScreens() }],
  }
  const { data = none, fault } = useData(
    async (signal): Promise<Results> => {
      if (text === '') return none
      const { find } = await import('./find.ts')
      return { text, groups: await find(text, signal) }
    },
    [text],
    { isTyped: true },
  )
  return { results: text === '' ? none : data, fault: text === '' ? undefined : fault }
}

function ResultList({
  groups,
  chosen,
  onChoose,
}: {
  groups: readonly FoundGroup[]
  chosen: number
  onChoose: (entry: Entry) => void
}) {
  let index = -1
  return (
    <div class="find-results" id="find-results" role="listbox" aria-label={words.find.results}>
      {groups.map(({ title, found }) => (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot stand in a list box.
        <div key={title} role="group" aria-label={title}>
          <div class="find-group" aria-hidden="true">
            {title}
          </div>
          {found.map((entry) => {
            index += 1
            const { href, name, detail } = entry
            const option = {
              id: `find-${index}`,
              role: 'option',
              'aria-selected': index === chosen,
              tabIndex: -1,
              class: 'find-result',
              onClick: () => onChoose(entry),
            } as const
            const content = (
              <>
                <span>{name}</span>
                {detail !== undefined && <span class="quiet small">{detail}</span>}
              </>
            )
            return href === undefined ? (
              <button key={name} type="button" {...option}>
                {content}
              </button>
            ) : (
              <a key={href + name} href={href} {...option}>
                {content}
              </a>
            )
          })}
        </div>
      ))}
    </div>
  )
}

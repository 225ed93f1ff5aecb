import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { Notice } from '../design/feedback.tsx'
import { useData } from '../lib/use-data.ts'
import { words } from '../words/common.ts'
import { type FoundGroup, find, findPlaces } from './find.ts'

const typingPauseMs = 200

interface Results {
  text: string
  groups: readonly FoundGroup[]
  fault?: string
}

/** The global search: results by area, chosen with the arrow keys and Enter. */
export function FindDialog({ onClose }: { onClose: () => void }) {
  const ref = useRef<HTMLDialogElement>(null)
  const { route } = useLocation()
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState(0)
  const results = useFound(text.trim())
  const hrefs = results.groups.flatMap(({ found }) => found.map(({ href }) => href))
  // Before the next frame: the next key belongs to it.
  useLayoutEffect(() => ref.current?.showModal(), [])
  useEffect(() => {
    ref.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  }, [chosen])
  const open = (href: string | undefined) => {
    if (href === undefined) return
    // A link, so that unsaved changes are asked about.
    const link = ref.current?.querySelector<HTMLAnchorElement>(`a[href="${CSS.escape(href)}"]`)
    if (link === undefined || link === null) route(href)
    else link.click()
  }
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && hrefs.length > 0) {
      event.preventDefault()
      setChosen((chosen + step + hrefs.length) % hrefs.length)
    }
    // In a search field with text, Escape would only remove the text.
    if (event.key === 'Escape') {
      event.preventDefault()
      onClose()
    }
    if (event.key === 'Enter') {
      event.preventDefault()
      open(hrefs[chosen])
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
        aria-expanded={hrefs.length > 0}
        aria-controls="find-results"
        aria-activedescendant={hrefs.length > 0 ? `find-${chosen}` : undefined}
        placeholder={words.find.placeholder}
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={(event) => type(event.currentTarget.value)}
        onKeyDown={press}
      />
      {results.fault !== undefined && <Notice tone="bad">{results.fault}</Notice>}
      <ResultList groups={results.groups} chosen={chosen} onOpen={onClose} />
      <p class="small quiet" role="status">
        {statusOf(text.trim(), results, hrefs.length)}
      </p>
    </dialog>
  )
}

function statusOf(text: string, { text: searched, fault }: Results, count: number): string {
  if (text === '' || fault !== undefined) return words.find.help
  if (searched !== text) return words.find.searching
  return count === 0 ? words.find.nothing(text) : words.find.found(count)
}

/** Searches when the reader pauses; a search that is no longer wanted is cancelled. */
function useFound(text: string): Results {
  const none: Results = { text: '', groups: findPlaces('') }
  const { data = none } = useData(
    async (signal): Promise<Results> => {
      if (text === '') return none
      try {
        return { text, groups: await find(text, signal) }
      } catch (error) {
        return { text, groups: findPlaces(text), fault: (error as Error).message }
      }
    },
    [text],
    { pauseMs: typingPauseMs },
  )
  return text === '' ? none : data
}

function ResultList({
  groups,
  chosen,
  onOpen,
}: {
  groups: readonly FoundGroup[]
  chosen: number
  onOpen: () => void
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
          {found.map(({ href, name, detail }) => {
            index += 1
            return (
              <a
                key={href}
                id={`find-${index}`}
                role="option"
                aria-selected={index === chosen}
                tabIndex={-1}
                class="find-result"
                href={href}
                onClick={onOpen}
              >
                <span>{name}</span>
                {detail !== undefined && <span class="quiet small">{detail}</span>}
              </a>
            )
          })}
        </div>
      ))}
    </div>
  )
}

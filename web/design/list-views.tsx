/** The views of a list, each with its own address: `?view=NAME`, and the first without. */
export function ListViews({
  label,
  path = '',
  shown,
  views,
  hrefOf = (name) => (name === '' ? path : `${path}?view=${name}`),
}: {
  label: string
  /** The address of the list, unless `hrefOf` has it. */
  path?: string
  /** The view in the address; undefined for the first. */
  shown: string | undefined
  /** The name of each view in the address, and its label; the name of the first is empty. */
  views: Readonly<Record<string, string>>
  /** The address of a view, where it keeps more than its name. */
  hrefOf?: (name: string) => string
}) {
  return (
    <nav class="tabs" aria-label={label}>
      {Object.entries(views).map(([name, title]) => (
        <a
          key={name}
          class="tab"
          href={hrefOf(name)}
          aria-current={name === (shown ?? '') ? 'page' : undefined}
        >
          {title}
        </a>
      ))}
    </nav>
  )
}

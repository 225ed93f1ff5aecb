// Codes are not words. cspell:disable

// What Intl can name but not list.

/** Locales of CLDR: each language alone, and with each of the regions behind it. */
export const localeCodes: readonly string[] = readLocales(
  'af NA ZA ak GH am ET ar AE BH DJ DZ EG EH ER IL IQ JO KM KW LB LY MA MR OM PS QA SA SD SO SS ' +
    'SY TD TN YE as IN az AZ ba RU be BY bg BG bm ML bn BD IN bo CN IN br FR bs BA ca AD ES FR IT ' +
    'ce RU cs CZ cv RU cy GB da DK GL de AT BE CH DE IT LI LU dz BT ee GH TG el CY GR en AE AG AI ' +
    'AS AT AU BB BE BI BM BS BW BZ CA CC CH CK CM CX CY CZ DE DK DM EE ER ES FI FJ FK FM FR GB GD ' +
    'GE GG GH GI GM GS GU GY HK HU ID IE IL IM IN IO IT JE JM JP KE KI KN KY LC LR LS LT LV MG MH ' +
    'MO MP MS MT MU MV MW MY NA NF NG NL NO NR NU NZ PG PH PK PL PN PR PT PW RO RW SB SC SD SE SG ' +
    'SH SI SK SL SS SX SZ TC TK TO TT TV TZ UA UG UM US VC VG VI VU WS ZA ZM ZW eo es AR BO BR BZ ' +
    'CL CO CR CU DO EC ES GQ GT HN MX NI PA PE PH PR PY SV US UY VE et EE eu ES fa AF IR ff BF CM ' +
    'GH GM GN GW LR MR NE NG SL SN fi FI fo DK FO fr BE BF BI BJ BL CA CD CF CG CH CI CM DJ DZ FR ' +
    'GA GF GN GP GQ HT KM LU MA MC MF MG ML MQ MR MU NC NE PF PM RE RW SC SN SY TD TG TN VU WF YT ' +
    'fy NL ga GB IE gd GB gl ES gu IN gv IM ha GH NE NG he IL hi IN hr BA HR hu HU hy AM ia id ID ' +
    'ie EE ig NG ii CN is IS it CH IT SM VA ja JP jv ID ka GE ki KE kk CN KZ kl GL km KH kn IN ko ' +
    'CN KP KR ks IN ku IQ SY TR kw GB ky KG lb LU lg UG ln AO CD CF CG lo LA lt LT lu CD lv LV mg ' +
    'MG mi NZ mk MK ml IN mn MN mr IN ms BN ID MY SG mt MT my MM nb nd ZW ne IN NP nl AW BE BQ CW ' +
    'NL SR SX nn NO no NO oc ES FR om ET KE or IN os GE RU pa IN PK pl PL ps AF PK pt AO BR CH CV ' +
    'GQ GW LU MO MZ PT ST TL qu BO EC PE rm CH rn BI ro MD RO ru BY KG KZ MD RU UA rw RW sa IN sc ' +
    'IT sd IN PK se FI NO SE sg CF si LK sk SK sl SI sn ZW so DJ ET KE SO sq AL MK sr BA ME RS st ' +
    'LS ZA su ID sv AX FI SE sw CD KE TZ UG ta IN LK MY SG te IN tg TJ th TH ti ER ET tk TM tn BW ' +
    'ZA to TO tr CY TR tt RU ug CN uk UA ur IN PK uz AF UZ vi VN wo SN xh ZA yi UA yo BJ NG za CN ' +
    'zh CN HK MO MY SG TW zu ZA agq CM ars asa TZ ast ES bas CM bem ZM bez TZ bgc IN bho IN blo ' +
    'BJ brx IN bua RU ccp BD IN ceb PH cgg UG chr US ckb IQ IR csw CA dav KE dje NE doi IN dsb DE ' +
    'dua CM dyo SN ebu KE ewo CM fil PH fur IT gaa GH gsw CH FR LI guz KE haw US hsb DE jgo CM ' +
    'jmc TZ kab DZ kam KE kde TZ kea CV kgp BR khq ML kkj CM kln KE kok IN ksb TZ ksf CM ksh DE ' +
    'kxv IN lag TZ lij IT lkt US lmo IT lrc IQ IR luo KE luy KE mai IN mas KE TZ mer KE mfe MU ' +
    'mgh MZ mgo CM mni IN mua CM mzn IR naq NA nds DE NL nmg CM nnh CM nqo GN nso ZA nus SS nyn ' +
    'UG pcm NG pms IT prg PL raj IN rof TZ rwk TZ sah RU saq KE sat IN sbp TZ scn IT seh MZ ses ' +
    'ML shi MA shn MM TH smn FI syr IQ SY szl PL teo KE UG tok twq NE tyv RU tzm MA vai LR vec IT ' +
    'vmw MZ vun TZ wae CH xnr IN xog UG yav CM yrl BR CO VE yue CN HK MO zgh MA',
)

function readLocales(text: string): string[] {
  let language = ''
  return text.split(' ').map((code) => {
    if (code !== code.toLowerCase() || /^\d/.test(code)) return `${language}_${code}`
    language = code
    return code
  })
}

function partsOfLocales(index: 0 | 1): Set<string> {
  return new Set(localeCodes.flatMap((code) => code.split('_')[index] ?? []))
}

/** Languages of ISO 639 that CLDR names: those with locales, and others. */
export const languageCodes: readonly string[] = [
  ...partsOfLocales(0),
  ...(
    'aa ab ae an av ay bh bi ch co cr cu dv fj gn ho ht hz ik io iu kg kj kr kv la li mh na ng nr ' +
    'nv ny oj pi sm ss ts tw ty ve vo wa ace ach ada ady aeb afh ain akk akz ale aln alt ang ann ' +
    'anp arc arn aro arp arq arw ary arz ase atj avk awa bal ban bar bax bbc bbj bej bew bfd bfq ' +
    'bgn bik bin bjn bkm bla blt bpy bqi bra brh bss bug bum byn byv cad car cay cch chb chg chk ' +
    'chm chn cho chp chy cic clc cop cps crg crh crj crk crl crm crr crs csb dak dar del den dgr ' +
    'din dtp dum dyu dzg efi egl egy eka elx enm esu ext fan fit fon frc frm fro frp frr frs gag ' +
    'gan gay gba gbz gez gil glk gmh goh gon gor got grb grc guc gur gwi hai hak hax hif hil hit ' +
    'hmn hnj hsn hup hur iba ibb ikt ilo inh izh jam jbo jpr jrb jut kaa kac kaj kaw kbd kbl kcg ' +
    'kek ken kfo kha kho khw kiu kmb koi kos kpe krc kri krj krl kru kum kut kwk lad lah lam lez ' +
    'lfn lil liv lol lou loz lsm ltg lua lui lun lus lzh lzz mad maf mag mak man mde mdf mdr men ' +
    'mga mic min mnc moe moh mos mrj mus mwl mwr mwv mye myv nan nap new nia niu njo nog non nov ' +
    'nwc nym nyo nzi ojb ojc ojs ojw oka osa ota pag pal pam pap pau pcd pdc pdt peo pfl phn pis ' +
    'pnt pon pqm pro quc qug rap rar rgn rhg rif rom rtm rue rug rup sad sam sas saz sba sco sdc ' +
    'sdh see sei sel sga sgs shu sid slh sli sly sma smj sms snk sog srn srr ssy stq str suk sus ' +
    'sux swb syc tce tcy tem ter tet tgx tht tig tiv tkl tkr tlh tli tly tmh tog tpi tru trv trw ' +
    'tsd tsi ttm ttt tum tvl udm uga umb vep vls vmf vot vro wal war was wbp wuu xal xmf yao yap ' +
    'ybb zap zbl zea zen zun zza'
  ).split(' '),
]

/** Countries of ISO 3166-1: those with locales, and others. */
export const countryCodes: readonly string[] = [...partsOfLocales(1), 'AQ', 'BV', 'HM', 'SJ', 'TF']

/** Scripts of ISO 15924 that CLDR names. */
export const scriptCodes: readonly string[] = (
  'Adlm Afak Aghb Ahom Arab Aran Armi Armn Avst Bali Bamu Bass Batk Beng Berf Bhks Blis Bopo ' +
  'Brah Brai Bugi Buhd Cakm Cans Cari Cham Cher Chrs Cirt Copt Cpmn Cprt Cyrl Cyrs Deva Diak ' +
  'Dogr Dsrt Dupl Egyd Egyh Egyp Elba Elym Ethi Gara Geok Geor Glag Gong Gonm Goth Gran Grek ' +
  'Gujr Gukh Guru Hanb Hang Hani Hano Hans Hant Hatr Hebr Hira Hluw Hmng Hmnp Hrkt Hung Inds ' +
  'Ital Jamo Java Jpan Jurc Kali Kana Kawi Khar Khmr Khoj Kits Knda Kore Kpel Krai Kthi Lana ' +
  'Laoo Latf Latg Latn Lepc Limb Lina Linb Lisu Loma Lyci Lydi Mahj Maka Mand Mani Marc Maya ' +
  'Medf Mend Merc Mero Mlym Modi Mong Moon Mroo Mtei Mult Mymr Nagm Nand Narb Nbat Newa Nkgb ' +
  'Nkoo Nshu Ogam Olck Onao Orkh Orya Osge Osma Ougr Palm Pauc Perm Phag Phli Phlp Phlv Phnx ' +
  'Plrd Prti Qaag Rjng Rohg Roro Runr Samr Sara Sarb Saur Sgnw Shaw Shrd Sidd Sidt Sind Sinh ' +
  'Sogd Sogo Sora Soyo Sund Sunu Sylo Syrc Syre Syrj Syrn Tagb Takr Tale Talu Taml Tang Tavt ' +
  'Tayo Telu Teng Tfng Tglg Thaa Thai Tibt Tirh Tnsa Todr Tols Toto Tutg Ugar Vaii Visp Vith ' +
  'Wara Wcho Wole Xpeo Xsux Yezi Yiii Zanb Zinh Zmth Zsye Zsym Zxxx Zyyy Zzzz'
).split(' ')

/** Regions whose first week of a year has at least four of its days, after CLDR; elsewhere one is enough. */
export const lateWeekRegions: readonly string[] = (
  'AD AN AT AX BE BG CH CZ DE DK EE ES FI FJ FO FR GB GF GG GI GP GR HU IE IM IS IT JE LI LT LU ' +
  'MC MQ NL NO PL PT RE RU SE SJ SK SM VA'
).split(' ')

/** Short and long names of the quarters in CLDR, which Intl lacks. `#` is the number. */
export const quarterNames: ReadonlyMap<string, readonly string[]> = new Map(
  `ar=الربع الأول|الربع الثاني|الربع الثالث|الربع الرابع=الربع الأول|الربع الثاني|الربع الثالث|الربع الرابع
  bg=#. трим.=#. тримесечие; ca=#T=1r trimestre|2n trimestre|3r trimestre|4t trimestre; cs=Q#=#. čtvrtletí
  da=#. kvt.=#. kvartal; de=Q#=#. Quartal; el=Τ#=#ο τρίμηνο; en=Q#=1st quarter|2nd quarter|3rd quarter|4th quarter
  es=T#=1.er trimestre|2.º trimestre|3.er trimestre|4.º trimestre; et=K#=#. kvartal; fi=#. nelj.=#. neljännes
  fr=T#=1er trimestre|2e trimestre|3e trimestre|4e trimestre; he=Q#=רבעון #; hr=#kv=#. kvartal; id=K#=Kuartal ke-#
  hu=I. n.év|II. n.év|III. n.év|IV. n.év=I. negyedév|II. negyedév|III. negyedév|IV. negyedév; it=T#=#º trimestre
  ja=Q#=第#四半期; ko=#분기=제 #/4분기; lt=I k.|II k.|III k.|IV k.=I ketvirtis|II ketvirtis|III ketvirtis|IV ketvirtis
  lv=#.\u00a0cet.=#. ceturksnis; nb=K#=#. kvartal; nl=K#=#e kwartaal; nn=K#=#. kvartal; no=K#=#. kvartal
  pl=I kw.|II kw.|III kw.|IV kw.=I kwartał|II kwartał|III kwartał|IV kwartał; pt=T#=#º trimestre; pt-PT=T#=#.º trimestre
  ro=trim. I|trim. II|trim. III|trim. IV=trimestrul I|trimestrul al II-lea|trimestrul al III-lea|trimestrul al IV-lea
  ru=#-й кв.=#-й квартал; sk=Q#=#. štvrťrok; sl=#. čet.=#. četrtletje; sv=K#=1:a kvartalet|2:a kvartalet|3:e kvartalet|4:e kvartalet
  th=ไตรมาส #=ไตรมาส #; tr=Ç#=#. çeyrek; uk=#-й кв.=#-й квартал; vi=Q#=Quý #; zh=#季度=第一季度|第二季度|第三季度|第四季度; zh-Hant=第#季=第#季`
    .split(/;|\n/)
    .map((line): [string, string[]] => {
      const [language = '', ...names] = line.trim().split('=')
      return [language, names]
    }),
)

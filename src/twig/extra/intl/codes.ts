// Codes are not words. cspell:disable

// What Intl can name but not list.

/** Languages of ISO 639 that CLDR names. */
export const languageCodes: readonly string[] = (
  'aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy ' +
  'da de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu ' +
  'hy hz ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb ' +
  'lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om ' +
  'or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ' +
  'ta te tg th ti tk tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu ace ach ' +
  'ada ady aeb afh agq ain akk akz ale aln alt ang ann anp arc arn aro arp arq ars arw ary arz ' +
  'asa ase ast atj avk awa bal ban bar bas bax bbc bbj bej bem bew bez bfd bfq bgc bgn bho bik ' +
  'bin bjn bkm bla blo blt bpy bqi bra brh brx bss bua bug bum byn byv cad car cay cch ccp ceb ' +
  'cgg chb chg chk chm chn cho chp chr chy cic ckb clc cop cps crg crh crj crk crl crm crr crs ' +
  'csb csw dak dar dav del den dgr din dje doi dsb dtp dua dum dyo dyu dzg ebu efi egl egy eka ' +
  'elx enm esu ewo ext fan fil fit fon frc frm fro frp frr frs fur gaa gag gan gay gba gbz gez ' +
  'gil glk gmh goh gon gor got grb grc gsw guc gur guz gwi hai hak haw hax hif hil hit hmn hnj ' +
  'hsb hsn hup hur iba ibb ikt ilo inh izh jam jbo jgo jmc jpr jrb jut kaa kab kac kaj kam kaw ' +
  'kbd kbl kcg kde kea kek ken kfo kgp kha kho khq khw kiu kkj kln kmb koi kok kos kpe krc kri ' +
  'krj krl kru ksb ksf ksh kum kut kwk kxv lad lag lah lam lez lfn lij lil liv lkt lmo lol lou ' +
  'loz lrc lsm ltg lua lui lun luo lus luy lzh lzz mad maf mag mai mak man mas mde mdf mdr men ' +
  'mer mfe mga mgh mgo mic min mnc mni moe moh mos mrj mua mus mwl mwr mwv mye myv mzn nan nap ' +
  'naq nds new nia niu njo nmg nnh nog non nov nqo nso nus nwc nym nyn nyo nzi ojb ojc ojs ojw ' +
  'oka osa ota pag pal pam pap pau pcd pcm pdc pdt peo pfl phn pis pms pnt pon pqm prg pro quc ' +
  'qug raj rap rar rgn rhg rif rof rom rtm rue rug rup rwk sad sah sam saq sas sat saz sba sbp ' +
  'scn sco sdc sdh see seh sei sel ses sga sgs shi shn shu sid slh sli sly sma smj smn sms snk ' +
  'sog srn srr ssy stq str suk sus sux swb syc syr szl tce tcy tem teo ter tet tgx tht tig tiv ' +
  'tkl tkr tlh tli tly tmh tog tok tpi tru trv trw tsd tsi ttm ttt tum tvl twq tyv tzm udm uga ' +
  'umb vai vec vep vls vmf vmw vot vro vun wae wal war was wbp wuu xal xmf xnr xog yao yap yav ' +
  'ybb yrl yue zap zbl zea zen zgh zun zza'
).split(' ')

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

/** Countries of ISO 3166-1. */
export const countryCodes: readonly string[] = (
  'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR ' +
  'BS BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ ' +
  'EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW ' +
  'GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY ' +
  'KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV ' +
  'MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY ' +
  'QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG ' +
  'TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ' +
  'ZW'
).split(' ')

/** Locales that ICU has data for: languages, alone and with a country. */
export const localeCodes: readonly string[] = (
  'af af_NA af_ZA ak ak_GH am am_ET ar ar_AE ar_BH ar_DJ ar_DZ ar_EG ar_EH ar_ER ar_IL ar_IQ ' +
  'ar_JO ar_KM ar_KW ar_LB ar_LY ar_MA ar_MR ar_OM ar_PS ar_QA ar_SA ar_SD ar_SO ar_SS ar_SY ' +
  'ar_TD ar_TN ar_YE as as_IN az az_AZ ba ba_RU be be_BY bg bg_BG bm bm_ML bn bn_BD bn_IN bo ' +
  'bo_CN bo_IN br br_FR bs bs_BA ca ca_AD ca_ES ca_FR ca_IT ce ce_RU cs cs_CZ cv cv_RU cy cy_GB ' +
  'da da_DK da_GL de de_AT de_BE de_CH de_DE de_IT de_LI de_LU dz dz_BT ee ee_GH ee_TG el el_CY ' +
  'el_GR en en_AE en_AG en_AI en_AS en_AT en_AU en_BB en_BE en_BI en_BM en_BS en_BW en_BZ en_CA ' +
  'en_CC en_CH en_CK en_CM en_CX en_CY en_CZ en_DE en_DK en_DM en_EE en_ER en_ES en_FI en_FJ ' +
  'en_FK en_FM en_FR en_GB en_GD en_GE en_GG en_GH en_GI en_GM en_GS en_GU en_GY en_HK en_HU ' +
  'en_ID en_IE en_IL en_IM en_IN en_IO en_IT en_JE en_JM en_JP en_KE en_KI en_KN en_KY en_LC ' +
  'en_LR en_LS en_LT en_LV en_MG en_MH en_MO en_MP en_MS en_MT en_MU en_MV en_MW en_MY en_NA ' +
  'en_NF en_NG en_NL en_NO en_NR en_NU en_NZ en_PG en_PH en_PK en_PL en_PN en_PR en_PT en_PW ' +
  'en_RO en_RW en_SB en_SC en_SD en_SE en_SG en_SH en_SI en_SK en_SL en_SS en_SX en_SZ en_TC ' +
  'en_TK en_TO en_TT en_TV en_TZ en_UA en_UG en_UM en_US en_VC en_VG en_VI en_VU en_WS en_ZA ' +
  'en_ZM en_ZW eo es es_AR es_BO es_BR es_BZ es_CL es_CO es_CR es_CU es_DO es_EC es_ES es_GQ ' +
  'es_GT es_HN es_MX es_NI es_PA es_PE es_PH es_PR es_PY es_SV es_US es_UY es_VE et et_EE eu ' +
  'eu_ES fa fa_AF fa_IR ff ff_BF ff_CM ff_GH ff_GM ff_GN ff_GW ff_LR ff_MR ff_NE ff_NG ff_SL ' +
  'ff_SN fi fi_FI fo fo_DK fo_FO fr fr_BE fr_BF fr_BI fr_BJ fr_BL fr_CA fr_CD fr_CF fr_CG fr_CH ' +
  'fr_CI fr_CM fr_DJ fr_DZ fr_FR fr_GA fr_GF fr_GN fr_GP fr_GQ fr_HT fr_KM fr_LU fr_MA fr_MC ' +
  'fr_MF fr_MG fr_ML fr_MQ fr_MR fr_MU fr_NC fr_NE fr_PF fr_PM fr_RE fr_RW fr_SC fr_SN fr_SY ' +
  'fr_TD fr_TG fr_TN fr_VU fr_WF fr_YT fy fy_NL ga ga_GB ga_IE gd gd_GB gl gl_ES gu gu_IN gv ' +
  'gv_IM ha ha_GH ha_NE ha_NG he he_IL hi hi_IN hr hr_BA hr_HR hu hu_HU hy hy_AM ia id id_ID ie ' +
  'ie_EE ig ig_NG ii ii_CN is is_IS it it_CH it_IT it_SM it_VA ja ja_JP jv jv_ID ka ka_GE ki ' +
  'ki_KE kk kk_CN kk_KZ kl kl_GL km km_KH kn kn_IN ko ko_CN ko_KP ko_KR ks ks_IN ku ku_IQ ku_SY ' +
  'ku_TR kw kw_GB ky ky_KG lb lb_LU lg lg_UG ln ln_AO ln_CD ln_CF ln_CG lo lo_LA lt lt_LT lu ' +
  'lu_CD lv lv_LV mg mg_MG mi mi_NZ mk mk_MK ml ml_IN mn mn_MN mr mr_IN ms ms_BN ms_ID ms_MY ' +
  'ms_SG mt mt_MT my my_MM nb nd nd_ZW ne ne_IN ne_NP nl nl_AW nl_BE nl_BQ nl_CW nl_NL nl_SR ' +
  'nl_SX nn nn_NO no no_NO oc oc_ES oc_FR om om_ET om_KE or or_IN os os_GE os_RU pa pa_IN pa_PK ' +
  'pl pl_PL ps ps_AF ps_PK pt pt_AO pt_BR pt_CH pt_CV pt_GQ pt_GW pt_LU pt_MO pt_MZ pt_PT pt_ST ' +
  'pt_TL qu qu_BO qu_EC qu_PE rm rm_CH rn rn_BI ro ro_MD ro_RO ru ru_BY ru_KG ru_KZ ru_MD ru_RU ' +
  'ru_UA rw rw_RW sa sa_IN sc sc_IT sd sd_IN sd_PK se se_FI se_NO se_SE sg sg_CF si si_LK sk ' +
  'sk_SK sl sl_SI sn sn_ZW so so_DJ so_ET so_KE so_SO sq sq_AL sq_MK sr sr_BA sr_ME sr_RS st ' +
  'st_LS st_ZA su su_ID sv sv_AX sv_FI sv_SE sw sw_CD sw_KE sw_TZ sw_UG ta ta_IN ta_LK ta_MY ' +
  'ta_SG te te_IN tg tg_TJ th th_TH ti ti_ER ti_ET tk tk_TM tn tn_BW tn_ZA to to_TO tr tr_CY ' +
  'tr_TR tt tt_RU ug ug_CN uk uk_UA ur ur_IN ur_PK uz uz_AF uz_UZ vi vi_VN wo wo_SN xh xh_ZA yi ' +
  'yi_UA yo yo_BJ yo_NG za za_CN zh zh_CN zh_HK zh_MO zh_MY zh_SG zh_TW zu zu_ZA agq agq_CM ars ' +
  'asa asa_TZ ast ast_ES bas bas_CM bem bem_ZM bez bez_TZ bgc bgc_IN bho bho_IN blo blo_BJ brx ' +
  'brx_IN bua bua_RU ccp ccp_BD ccp_IN ceb ceb_PH cgg cgg_UG chr chr_US ckb ckb_IQ ckb_IR csw ' +
  'csw_CA dav dav_KE dje dje_NE doi doi_IN dsb dsb_DE dua dua_CM dyo dyo_SN ebu ebu_KE ewo ' +
  'ewo_CM fil fil_PH fur fur_IT gaa gaa_GH gsw gsw_CH gsw_FR gsw_LI guz guz_KE haw haw_US hsb ' +
  'hsb_DE jgo jgo_CM jmc jmc_TZ kab kab_DZ kam kam_KE kde kde_TZ kea kea_CV kgp kgp_BR khq ' +
  'khq_ML kkj kkj_CM kln kln_KE kok kok_IN ksb ksb_TZ ksf ksf_CM ksh ksh_DE kxv kxv_IN lag ' +
  'lag_TZ lij lij_IT lkt lkt_US lmo lmo_IT lrc lrc_IQ lrc_IR luo luo_KE luy luy_KE mai mai_IN ' +
  'mas mas_KE mas_TZ mer mer_KE mfe mfe_MU mgh mgh_MZ mgo mgo_CM mni mni_IN mua mua_CM mzn ' +
  'mzn_IR naq naq_NA nds nds_DE nds_NL nmg nmg_CM nnh nnh_CM nqo nqo_GN nso nso_ZA nus nus_SS ' +
  'nyn nyn_UG pcm pcm_NG pms pms_IT prg prg_PL raj raj_IN rof rof_TZ rwk rwk_TZ sah sah_RU saq ' +
  'saq_KE sat sat_IN sbp sbp_TZ scn scn_IT seh seh_MZ ses ses_ML shi shi_MA shn shn_MM shn_TH ' +
  'smn smn_FI syr syr_IQ syr_SY szl szl_PL teo teo_KE teo_UG tok twq twq_NE tyv tyv_RU tzm ' +
  'tzm_MA vai vai_LR vec vec_IT vmw vmw_MZ vun vun_TZ wae wae_CH xnr xnr_IN xog xog_UG yav ' +
  'yav_CM yrl yrl_BR yrl_CO yrl_VE yue yue_CN yue_HK yue_MO zgh zgh_MA'
).split(' ')

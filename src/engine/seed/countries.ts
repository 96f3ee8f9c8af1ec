/** The country of a seeded group's contacts, with its phone prefixes, cities and names. */
export interface Country {
  /** The country's calling code. */
  readonly code: string;
  /** Mobile prefixes after the calling code, ascending and of equal length. */
  readonly prefixes: readonly string[];
  /** Number of digits after the prefix. Any digits are valid. */
  readonly digits: number;
  readonly cities: readonly string[];
  readonly firstNames: readonly string[];
  readonly birthdayMessage: string;
}

/** Splits a list written as one string. Prefixes stay strings, not numbers. */
function words(text: string): readonly string[] {
  return text.split(" ");
}

export const countries: readonly Country[] = [
  {
    code: "234",
    prefixes: words("703 706 803 806 810 813 814 816 903 906"),
    digits: 7,
    cities: ["Lagos", "Abuja", "Port Harcourt", "Ìbàdàn"],
    firstNames: words("Ada Chidi Ngozi Emeka Folasadé Tunde Amina Ṣadé Ìfẹ́ Kelechi Zainab Bọ́lá"),
    birthdayMessage: "Happy birthday, {first_name}! Many happy returns from all of us.",
  },
  {
    code: "233",
    prefixes: words("20 24 50 54 55"),
    digits: 7,
    cities: ["Accra", "Kumasi", "Tamale", "Cape Coast"],
    firstNames: words("Kofi Ama Kwame Akosua Yaw Efua Kojo Abena Ɛsi Kwabena Akua Fiifi"),
    birthdayMessage: "Afehyia pa, {first_name}! We wish you a wonderful year.",
  },
  {
    code: "254",
    prefixes: words("70 71 72 79"),
    digits: 7,
    cities: ["Nairobi", "Mombasa", "Kisumu", "Nakuru"],
    firstNames: words("Wanjiru Otieno Achieng Kamau Nyambura Mwangi Atieno Kiprop Amani Juma"),
    birthdayMessage: "Heri ya siku ya kuzaliwa, {first_name}!",
  },
  {
    code: "27",
    prefixes: words("71 72 73 74 76 78 79 82 83 84"),
    digits: 7,
    cities: ["Cape Town", "Johannesburg", "Durban", "Gqeberha"],
    firstNames: words("Thabo Lerato Sipho Nomvula Pieter Anneke Zanele Bongani Priya Renée"),
    birthdayMessage: "Happy birthday {first_name}, have a lekker day!",
  },
  {
    code: "44",
    prefixes: words("71 72 73"),
    digits: 8,
    cities: ["London", "Leeds", "Glasgow", "Cardiff"],
    firstNames: words("Olivia George Amelia Harry Siobhán Rhys Zoë Callum Niamh Arthur Isla Owen"),
    birthdayMessage: "Happy birthday, {first_name}! Enjoy 10% off all week.",
  },
  {
    code: "49",
    prefixes: words("160 170 171 175"),
    digits: 7,
    cities: ["Berlin", "München", "Köln", "Düsseldorf"],
    firstNames: words("Jürgen Käthe Lukas Mia Björn Sören Emma Günther Anneliese Jonas Zoé Leon"),
    birthdayMessage: "Alles Gute zum Geburtstag, {first_name}!",
  },
  {
    code: "33",
    prefixes: words("61 62 66 67 68"),
    digits: 7,
    cities: ["Paris", "Lyon", "Marseille", "Besançon"],
    firstNames: words("Chloé Léo Zoé Noël Anaïs François Inès Gaël Eléonore Jérôme Maëlys Hugo"),
    birthdayMessage: "Joyeux anniversaire {first_name} ! Toute l’équipe pense à vous.",
  },
  {
    code: "48",
    prefixes: words("50 51 53 60 66 69"),
    digits: 7,
    cities: ["Warszawa", "Kraków", "Łódź", "Gdańsk"],
    firstNames: words("Łukasz Małgorzata Jakub Zofia Paweł Agnieszka Żaneta Michał Ewa Stanisław"),
    birthdayMessage: "Wszystkiego najlepszego, {first_name}!",
  },
  {
    code: "90",
    prefixes: words("505 532 533 535 542"),
    digits: 7,
    cities: ["İstanbul", "Ankara", "İzmir", "Muğla"],
    firstNames: words("Ayşe Mehmet Çağla İbrahim Gül Ömer Şule Işıl Barış Doğan Zeynep Emre"),
    birthdayMessage: "Doğum günün kutlu olsun, {first_name}!",
  },
  {
    code: "30",
    prefixes: words("694 697 698"),
    digits: 7,
    cities: ["Athens", "Thessaloniki", "Patras", "Heraklion"],
    firstNames: words("Γιώργος Ελένη Νίκος Μαρία Κώστας Σοφία Δημήτρης Ιωάννα Πέτρος Ζωή"),
    birthdayMessage: "Χρόνια πολλά, {first_name}!",
  },
  {
    code: "380",
    prefixes: words("50 67 95 97"),
    digits: 7,
    cities: ["Kyiv", "Lviv", "Odesa", "Kharkiv"],
    firstNames: words("Оксана Тарас Юлія Андрій Соломія Богдан Їжак Ярослава Олексій Ганна"),
    birthdayMessage: "З днем народження, {first_name}!",
  },
  {
    code: "20",
    prefixes: words("10 11 12"),
    digits: 8,
    cities: ["Cairo", "Alexandria", "Giza", "Luxor"],
    firstNames: words("محمد فاطمة أحمد مريم يوسف نور عمر ليلى خالد سلمى"),
    birthdayMessage: "عيد ميلاد سعيد يا {first_name}!",
  },
  {
    code: "972",
    prefixes: words(
      "502 503 504 505 506 507 508 522 523 524 525 526 527 528 532 533 534 535 536 537 538 542 543 544 545 546 547 548",
    ),
    digits: 6,
    cities: ["Tel Aviv", "Haifa", "Jerusalem", "Be’er Sheva"],
    firstNames: words("נועה דוד תמר יוסף מיכל אורי שרה איתן רבקה יעל"),
    birthdayMessage: "יום הולדת שמח, {first_name}!",
  },
  {
    code: "91",
    prefixes: words("97 98 99"),
    digits: 8,
    cities: ["Mumbai", "Delhi", "Bengaluru", "Chennai"],
    firstNames: words("आरव अनन्या विवान प्रिया अर्जुन காவ்யா முருகன் রাহুল মিতা ਹਰਪ੍ਰੀਤ"),
    birthdayMessage: "जन्मदिन मुबारक हो, {first_name}!",
  },
  {
    code: "86",
    prefixes: words("135 136 137 138 139"),
    digits: 8,
    cities: ["Shanghai", "Beijing", "Guangzhou", "Chengdu"],
    firstNames: words("伟 芳 秀英 娜 敏 静 强 磊 洋 艳 勇 杰"),
    birthdayMessage: "{first_name}，生日快乐！",
  },
  {
    code: "82",
    prefixes: words("102 103 104 106 107 108 109"),
    digits: 7,
    cities: ["Seoul", "Busan", "Incheon", "Daegu"],
    firstNames: words("서연 민준 지우 하준 서윤 도윤 예은 시우 지민 주원"),
    birthdayMessage: "{first_name}님, 생일 축하합니다!",
  },
  {
    code: "66",
    prefixes: words("81 84 86 89"),
    digits: 7,
    cities: ["Bangkok", "Chiang Mai", "Phuket", "Khon Kaen"],
    firstNames: words("สมชาย สมหญิง นภา อนันต์ มาลี ประเสริฐ สุดา วิชัย กมล ดวงใจ"),
    birthdayMessage: "สุขสันต์วันเกิด คุณ{first_name}!",
  },
  {
    code: "55",
    prefixes: words("1197 1198 1199 2197 2198 2199"),
    digits: 7,
    cities: ["São Paulo", "Rio de Janeiro", "Brasília", "Goiânia"],
    firstNames: words("João Conceição Thaís Antônio Luíza Inês Caíque Júlia Raimundo Zé"),
    birthdayMessage: "Feliz aniversário, {first_name}!",
  },
];

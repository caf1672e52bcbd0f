from tests.fuzz.run import main

if __name__ == "__main__":
    main()
